/**
 * Markdown as code hosts show it: task lists, callouts, footnotes and ids of headings. Both renderers use these rules,
 * the service's for pages without script and the dashboard's.
 */
import type { MarkdownIt, Token } from "markdown-it";
import footnotes from "markdown-it-footnote";

/** Kinds of callouts, with their titles. */
const callouts: Record<string, string> = {
  note: "Note",
  tip: "Tip",
  important: "Important",
  warning: "Warning",
  caution: "Caution",
};

/** Ids have a prefix: without one, a text could shadow the properties of the page. */
export const headingId = (text: string): string => {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return `h-${words.join("-").slice(0, 80)}`;
};

/** Ids of a text's headings: the second one with a text gets a number. */
export function headingIds(): (text: string) => string {
  const used = new Map<string, number>();
  return (text) => {
    const base = headingId(text);
    const count = used.get(base) ?? 0;
    used.set(base, count + 1);
    return count === 0 ? base : `${base}-${count}`;
  };
}

/** Ids that the rules below give to footnotes. A heading can't have one of them. */
export const footnoteId = /^h-fn(?:ref)?--\d+(?:-\d+)?$/;

/** Adds the rules to a parser. */
export function addCodeHostRules(md: MarkdownIt): void {
  md.use(footnotes);
  boundFootnotes(md);
  md.core.ruler.push("task_lists", ({ tokens, Token: Made }) =>
    markTasks(tokens, () => new Made("task", "input", 0)),
  );
  md.core.ruler.push("callouts", (state) => {
    state.tokens = markCallouts(state.tokens, () => new state.Token("callout_title", "p", 0));
  });
  md.renderer.rules["task"] = (tokens, at) => {
    const isDone = tokens[at]!.info === "done";
    const state = isDone ? 'checked aria-label="Done"' : 'aria-label="To do"';
    return `<input type="checkbox" disabled ${state}> `;
  };
  md.renderer.rules["callout_title"] = (tokens, at) =>
    `<p class="callout-title">${callouts[tokens[at]!.info]!}</p>\n`;
  lowerHeadings(md);
  nameFootnotes(md);
}

/** The page has a title of its own above the text, so that every heading is one level lower. */
function lowerHeadings(md: MarkdownIt): void {
  for (const name of ["heading_open", "heading_close"] as const)
    md.renderer.rules[name] = (tokens, at, options, _env, self) => {
      const token = tokens[at]!;
      token.tag = `h${Math.min(6, Number(token.tag.slice(1)) + 1)}`;
      return self.renderToken(tokens, at, options);
    };
}

/** `[x]` or `[ ]` at the beginning of an item of a list. */
function markTasks(tokens: Token[], make: () => Token): void {
  tokens.forEach((inline, at) => {
    if (inline.type !== "inline" || tokens[at - 1]?.type !== "paragraph_open") return;
    const item = tokens[at - 2];
    const [first] = inline.children ?? [];
    if (item?.type !== "list_item_open" || first?.type !== "text") return;
    const [mark, state] = /^\[([ xX])\]\s+/.exec(first.content) ?? [];
    const isAll = mark === first.content && inline.children!.length === 1;
    if (mark === undefined || isAll) return;
    first.content = first.content.slice(mark.length);
    const box = make();
    box.info = state === " " ? "open" : "done";
    inline.children!.unshift(box);
    item.attrJoin("class", "task");
  });
}

/** `> [!NOTE]` and its text as a box with a title. */
function markCallouts(tokens: readonly Token[], make: () => Token): Token[] {
  const marked: Token[] = [];
  const areCallouts: boolean[] = [];
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at]!;
    marked.push(token);
    if (token.type === "blockquote_close" && areCallouts.pop()) token.tag = "div";
    if (token.type !== "blockquote_open") continue;
    const inline = tokens[at + 2];
    const kind = kindOfCallout(inline);
    areCallouts.push(kind !== undefined);
    if (kind === undefined) continue;
    token.tag = "div";
    token.attrSet("class", `callout callout-${kind}`);
    token.attrSet("role", "note");
    const title = make();
    title.info = kind;
    marked.push(title);
    inline!.children!.splice(0, 2);
    // Without further text, its paragraph is left out.
    if (inline!.children!.length === 0) at += 3;
  }
  return marked;
}

/** Kind of the callout that a paragraph begins. The marker is alone on its line. */
function kindOfCallout(inline: Token | undefined): string | undefined {
  if (inline?.type !== "inline") return undefined;
  const [marker, after] = inline.children ?? [];
  const kind = /^\[!(\w+)\]\s*$/.exec(marker?.content ?? "")?.[1]?.toLowerCase();
  const isAlone = after === undefined || after.type === "softbreak" || after.type === "hardbreak";
  return marker?.type === "text" && isAlone && kind !== undefined && Object.hasOwn(callouts, kind)
    ? kind
    : undefined;
}

interface Footnote {
  label?: string;
  /** Number of references to it. */
  count?: number;
  /** Text of a note that is written where it is referenced. */
  content?: string;
  tokens?: Token[];
}

const maxLabel = 200;

/** Replaces rules of the plugin whose time grows with the square of the text. */
function boundFootnotes(md: MarkdownIt): void {
  // The plugin looks for the end of a label up to the end of the line, again for each beginning of one.
  md.inline.ruler.before("footnote_ref", "long_label", (state, silent) => {
    const { src, pos } = state;
    if (!src.startsWith("[^", pos) || src.slice(pos, pos + maxLabel + 3).includes("]")) return false;
    if (!silent) state.pending += "[";
    state.pos++;
    return true;
  });
  // The plugin copies the whole text for each note.
  md.core.ruler.at("footnote_tail", (state) => {
    const found = (state.env as { footnotes?: { list?: Footnote[] } }).footnotes;
    if (!found) return;
    const tokens: Token[] = [];
    const bodies = new Map<string, Token[]>();
    let body: Token[] | undefined;
    for (const token of state.tokens) {
      if (token.type === "footnote_reference_open")
        bodies.set((token.meta as { label: string }).label, (body = []));
      else if (token.type === "footnote_reference_close") body = undefined;
      else (body ?? tokens).push(token);
    }
    state.tokens = tokens;
    if (!found.list) return;
    const make = (type: string, tag = "", nesting: -1 | 0 | 1 = 0) => new state.Token(type, tag, nesting);
    tokens.push(make("footnote_block_open", "", 1));
    found.list.forEach((note, id) => appendFootnote(tokens, note, id, { bodies, make }));
    tokens.push(make("footnote_block_close", "", -1));
  });
}

interface Footnotes {
  bodies: ReadonlyMap<string, readonly Token[]>;
  make: (type: string, tag?: string, nesting?: -1 | 0 | 1) => Token;
}

/** A note with the links back to its references, which are in its last paragraph. */
function appendFootnote(to: Token[], note: Footnote, id: number, { bodies, make }: Footnotes): void {
  const open = make("footnote_open", "", 1);
  open.meta = { id };
  to.push(open);
  if (note.tokens) {
    const inline = make("inline");
    inline.children = note.tokens;
    inline.content = note.content ?? "";
    to.push(make("paragraph_open", "p", 1), inline, make("paragraph_close", "p", -1));
  } else {
    for (const token of bodies.get(note.label ?? "") ?? []) to.push(token);
  }
  const end = to.at(-1)?.type === "paragraph_close" ? to.pop() : undefined;
  for (let subId = 0; subId < Math.max(1, note.count ?? 1); subId++) {
    const anchor = make("footnote_anchor");
    anchor.meta = { id, subId };
    to.push(anchor);
  }
  if (end) to.push(end);
  to.push(make("footnote_close", "", -1));
}

interface FootnoteMeta {
  id: number;
  /** Number of the reference, from 0. */
  subId: number;
}

/** Footnotes with ids of our own, and labels for those who do not see the small number. */
function nameFootnotes(md: MarkdownIt): void {
  const metaOf = (tokens: Token[], at: number): FootnoteMeta => {
    const { id, subId } = tokens[at]!.meta as Partial<FootnoteMeta>;
    return { id: id ?? 0, subId: subId ?? 0 };
  };
  const reference = ({ id, subId }: FootnoteMeta) => `h-fnref--${id + 1}${subId > 0 ? `-${subId}` : ""}`;
  const { rules } = md.renderer;
  rules["footnote_ref"] = (tokens, at) => {
    const meta = metaOf(tokens, at);
    const number = meta.id + 1;
    return `<sup><a href="#h-fn--${number}" id="${reference(meta)}" aria-label="Footnote ${number}">${number}</a></sup>`;
  };
  rules["footnote_block_open"] = () => '<section class="footnotes" aria-label="Footnotes">\n<ol>\n';
  rules["footnote_block_close"] = () => "</ol>\n</section>\n";
  rules["footnote_open"] = (tokens, at) => `<li id="h-fn--${metaOf(tokens, at).id + 1}">`;
  rules["footnote_close"] = () => "</li>\n";
  rules["footnote_anchor"] = (tokens, at) => {
    const meta = metaOf(tokens, at);
    return ` <a href="#${reference(meta)}" aria-label="Back to the text of footnote ${meta.id + 1}">↩</a>`;
  };
}
