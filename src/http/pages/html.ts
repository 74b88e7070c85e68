/** Text becomes HTML only by the `html` tag, which escapes every value that is not HTML already. */

/** A piece of finished HTML. Only the `html` tag, the renderer of Markdown and own functions make one. */
export class Html {
  readonly #text: string;

  private constructor(text: string) {
    this.#text = text;
  }

  static of(strings: TemplateStringsArray, values: readonly HtmlValue[]): Html {
    return new Html(strings.reduce((text, part, at) => text + render(values[at - 1]) + part));
  }

  /** HTML that the Markdown renderer made (`src/compute/pieces/markdown.ts`), which escapes text as `html` does. */
  static rendered(text: string): Html {
    return new Html(text);
  }

  /** The source of a function of this program, for a script in a page. */
  static sourceOf(part: (...values: never[]) => unknown): Html {
    return new Html(part.toString());
  }

  toString(): string {
    return this.#text;
  }
}

/** `undefined`, `null` and `false` render nothing; lists render item by item. */
export type HtmlValue = Html | string | number | false | null | undefined | readonly HtmlValue[];

/**
 * Builds HTML from a template. Values are text, safe in element content and in quoted attributes; never place one in
 * a tag's name, in an unquoted attribute or in a style sheet.
 */
export function html(strings: TemplateStringsArray, ...values: HtmlValue[]): Html {
  return Html.of(strings, values);
}

const entities: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function render(value: HtmlValue): string {
  if (value === undefined || value === null || value === false) return "";
  if (value instanceof Html) return value.toString();
  if (typeof value === "object") return value.map(render).join("");
  return String(value).replace(/[&<>"']/g, (character) => entities[character]!);
}
