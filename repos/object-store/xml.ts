/** The few elements that are read of S3's XML. */

const entities: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

function decode(text: string): string {
  return text.replace(
    /&(?:#x([0-9a-fA-F]{1,6})|#(\d{1,7})|(amp|lt|gt|quot|apos));/g,
    (_, hex, decimal, name) =>
      name !== undefined
        ? entities[name as string]!
        : String.fromCodePoint(
            Math.min(0x10ffff, Number.parseInt(hex ?? decimal, hex === undefined ? 10 : 16)),
          ),
  );
}

/** Text of the first element of that name; undefined if there is none. */
export function elementOf(xml: string, name: string): string | undefined {
  const [found] = elementsOf(xml, name);
  return found === undefined ? undefined : decode(found);
}

/** The code of an error; undefined for one of another form, since a server's text may repeat what was sent. */
export function errorCodeOf(xml: string): string | undefined {
  const code = elementOf(xml, "Code");
  return code !== undefined && /^[A-Za-z0-9]{1,60}$/.test(code) ? code : undefined;
}

/** Content of all elements of that name, which may be nested only in others. */
export function elementsOf(xml: string, name: string): string[] {
  const found: string[] = [];
  const end = `</${name}>`;
  for (let at = xml.indexOf(`<${name}>`); at !== -1; at = xml.indexOf(`<${name}>`, at)) {
    const from = at + name.length + 2;
    const to = xml.indexOf(end, from);
    if (to === -1) break;
    found.push(xml.slice(from, to));
    at = to + end.length;
  }
  return found;
}
