/** Work on content that anyone may have written, as it runs in a thread: the closed map of its kinds. */
import { readSkillText } from "../../../contract/checks/skill-rules.ts";
import type { ContentFormat } from "../../../contract/vocabulary.ts";
import { binaryPatch } from "./binary-patch.ts";
import { drawCard } from "./card/draw-card.ts";
import { completeText } from "./complete-text.ts";
import { diffLines } from "./line-diff.ts";
import { lintInMemory } from "./lint-files.ts";
import { type FileUrl, renderMarkdown } from "./markdown.ts";
import { describeZip, digestZip, lintZip } from "./read-archive.ts";
import { scanFiles } from "./scan-files.ts";
import { similarTexts } from "./similar-texts.ts";
import { verifyXml } from "./verify-xml.ts";

export const pieces = {
  render: ({ text, fileUrl }: { text: string; fileUrl: FileUrl }) => renderMarkdown(text, fileUrl),
  compare: diffLines,
  "binary-patch": binaryPatch,
  similar: similarTexts,
  lint: lintInMemory,
  scan: scanFiles,
  "read-text": ({ source, format }: { source: string; format: ContentFormat }) =>
    readSkillText(source, format),
  "complete-text": (input: Parameters<typeof completeText>[0]) => completeText(input),
  "describe-zip": describeZip,
  "digest-zip": digestZip,
  "lint-zip": lintZip,
  "verify-xml": verifyXml,
  "draw-card": drawCard,
};

export type Pieces = typeof pieces;
export type PieceKind = keyof Pieces;
export type PieceInput<K extends PieceKind> = Parameters<Pieces[K]>[0];
export type PieceResult<K extends PieceKind> = Awaited<ReturnType<Pieces[K]>>;
