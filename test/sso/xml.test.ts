/** XML of strangers: what is refused before the parser sees it, since that takes quadratic time for it. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { limits } from "../../contract/limits.ts";
import { parseXml } from "../../src/sso/saml/xml.ts";
import { assertProcessorSeconds } from "../support/processor-time.ts";

/** As many repetitions as a response may have. */
const many = (part: (index: number) => string, bytes: number = limits.ssoResponseBytes) =>
  Array.from({ length: Math.floor(bytes / part(10_000).length) }, (_, index) => part(index)).join("");

const isMalformed = /is not well-formed XML/;
const refused: [what: string, text: string, message: RegExp][] = [
  ["comments before the root", `${many(() => "<!---->")}<a/>`, /more than 20 comments/],
  ["instructions after the root", `<a/>${many(() => "<?a?>")}`, /more than 20 comments/],
  ["comments within", `<a>${many(() => "<!---->")}</a>`, /more than 64 levels or 3000 elements/],
  ["sections", `<a>${many(() => "<![CDATA[x]]>")}</a>`, /3000 elements/],
  ["attributes", `<a ${many((index) => `b${index}="" `)}/>`, /more than 5000 attributes/],
  ["a broken tag that never ends", `<a/><b ${many(() => "-")}`, isMalformed],
  ["brackets in a broken tag", `<a>${"x".repeat(10)}</a${many(() => "<<<<<<<  ")}>`, isMalformed],
  ["an end tag of another element", `<a>${many(() => "</b><c>")}</a>`, isMalformed],
  ["two roots", "<a/><b/>", isMalformed],
  ["an open element", "<a><b></b>", isMalformed],
  ["a bracket in a value", '<a b="<"/>', isMalformed],
  ["a value without quotes", "<a b=c/>", isMalformed],
  ["an attribute without a value", "<a b/>", isMalformed],
  ["attributes without a space", '<a b="c"d="e"/>', isMalformed],
  ["a document type", "<!DOCTYPE a><a/>", /document type/],
  ["a text after the root", "<a/>b", /text outside/],
];

describe("a document", () => {
  for (const [what, text, message] of refused)
    it(`with ${what} is refused at once`, () =>
      assertProcessorSeconds(2, () => assert.rejects(parseXml(text), message)));

  it("is read with everything that XML allows in tags", async () => {
    const text = `\uFEFF<?xml version='1.0'?>\n<!-- a > b --><a:é\n xmlns:a = 'urn:a'  b\t="x > 'y'&amp;"\n>
      <!-- <b> --><c-d.e/><a:f ></a:f\n><![CDATA[<g>]]></a:é>\n<!-- end -->\n`;

    const root = await parseXml(text);

    assert.deepEqual(
      [root.localName, root.namespaceURI, root.getAttribute("b"), root.textContent?.trim()],
      ["é", "urn:a", "x > 'y'&", "<g>"],
    );
  });
});
