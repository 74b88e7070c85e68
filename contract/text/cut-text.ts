/** Cuts after a word, with an ellipsis. Counts code points, so that no surrogate pair is split. */
export function cutAtWord(text: string, characters: number): string {
  if (text.length <= characters) return text;
  const all = Array.from(text);
  if (all.length <= characters) return text;
  const kept = all.slice(0, characters - 1).join("");
  const isWordCut = all[characters - 1] !== " " && kept.includes(" ");
  return `${(isWordCut ? kept.slice(0, kept.lastIndexOf(" ")) : kept).trimEnd()}…`;
}
