/**
 * Descriptions of pages for clients that run no script. They contain only what anyone may read; a page without one is
 * the same for every address.
 */
import { brandName } from "../../../contract/dashboard/brand.ts";
import type { Actor } from "../../access/actor.ts";
import { html, type Html } from "../pages/html.ts";
import type { Reply, RequestInfo } from "../route.ts";

export interface PageDescription {
  title: string;
  description: string;
  /** Address of the page, without previous names. */
  url: string;
  /** Address of the same content as Markdown or text, for agents. */
  alternate: { href: string; type: "text/markdown" | "text/plain" };
  /** schema.org data; values are escaped when it becomes a script element. */
  data: Record<string, unknown>;
  body: Html;
  /** Address of the picture of 1200 by 630 pixels that previews of links show. */
  picture?: string;
}

/** Page of an organization, of a skill, or of the catalog (neither). */
export interface PageAddress {
  org?: string;
  slug?: string;
}

/**
 * Undefined: the page has no description. A reply is sent in place of the page. `visitor`: an anonymous actor with the
 * caller's network.
 */
export type DescribePage = (
  address: PageAddress,
  visitor: Actor,
  request: RequestInfo,
) => Promise<PageDescription | Reply | undefined>;

/** Whether the caller names HTML, as browsers do for a page, and programs that take anything don't. */
export const acceptsHtml = (request: RequestInfo) =>
  /\b(text\/html|application\/xhtml\+xml)\b/i.test(request.header("accept"));

/** Marks the element of `web/index.html` that takes the readable text, which the front end replaces. */
const textPlace = "<main></main>";

/** Adds a description to the dashboard's page. */
export function insertDescription(page: string, described: PageDescription): string {
  const { title, description, url, alternate, body, picture } = described;
  const head = html`<title>${title} · ${brandName}</title>
    <meta name="description" content="${description}" />
    <link rel="canonical" href="${url}" />
    <link rel="alternate" type="${alternate.type}" href="${alternate.href}" />
    <meta property="og:type" content="website" />
    <meta property="og:site_name" content="${brandName}" />
    <meta property="og:title" content="${title}" />
    <meta property="og:description" content="${description}" />
    <meta property="og:url" content="${url}" />
    ${picture === undefined ? html`<meta name="twitter:card" content="summary" />` : pictureTags(picture, title)}`;
  // Functions, since `$` has a meaning in a replacement text.
  return page
    .replace(/<title>[^<]*<\/title>/, () => `${head.toString()}\n    ${dataScript(described.data)}`)
    .replace(textPlace, () => html`<main>${body}</main>`.toString());
}

const pictureTags = (picture: string, title: string) =>
  html`<meta property="og:image" content="${picture}" />
    <meta property="og:image:type" content="image/png" />
    <meta property="og:image:width" content="1200" />
    <meta property="og:image:height" content="630" />
    <meta property="og:image:alt" content="${title}" />
    <meta name="twitter:card" content="summary_large_image" />`;

/** A data block, which no browser runs. Nothing in it can end the element or begin a comment. */
function dataScript(data: Record<string, unknown>): string {
  const json = JSON.stringify({ "@context": "https://schema.org", ...data });
  const escaped = json.replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return `<script type="application/ld+json">${escaped}</script>`;
}
