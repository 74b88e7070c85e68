/** Types of the plugin, which has none. */
declare module "markdown-it-footnote" {
  import type { MarkdownIt } from "markdown-it";

  const footnotes: (md: MarkdownIt) => void;
  export { footnotes as default };
}
