/** A skill's text in responses outside the API: as Markdown for agents, and as safe HTML for people. */
import { LRUCache } from "lru-cache";
import { SingleFlight } from "../../../contract/concurrency/single-flight.ts";
import { cutFences } from "../../../contract/document/frontmatter.ts";
import type { SkillDoc } from "../../../storage/skills/skills.ts";
import type { VersionDoc } from "../../../storage/versions/versions.ts";
import { actorKey, type Actor } from "../../access/actor.ts";
import { recordDownload } from "../../analytics/downloads.ts";
import type { App } from "../../app.ts";
import { ServiceError } from "../../errors.ts";
import { Html, html } from "../../http/pages/html.ts";
import { Reply, type RequestInfo } from "../../http/route.ts";
import { cacheHeaders, notModified } from "../../http/service/conditional.ts";
import { isShared } from "../load.ts";
import { readText } from "../read/content.ts";
import { selectVersion } from "../versions/select-version.ts";

/** Whether the caller prefers Markdown, as agents do. */
export const prefersMarkdown = (request: RequestInfo) => request.header("accept").startsWith("text/markdown");

/**
 * The current version's text, counted as a download. `isWhole`: with the frontmatter that the published file begins
 * with. The caller must be allowed to read the skill.
 */
export async function markdownReply(
  app: App,
  { actor, skill, request }: { actor: Actor; skill: SkillDoc; request: RequestInfo },
  { isWhole }: { isWhole: boolean },
): Promise<Reply> {
  const version = await selectVersion(app, skill, { kind: "current" });
  // Frontmatter can change with the same text, so the tag of the whole file names the version.
  const tag = isWhole ? `${version.hash}-w${version.version}` : version.hash;
  const headers = cacheHeaders(tag, { fixed: false, shared: isShared(skill), byAccept: true });
  const unmodified = notModified(request, headers);
  if (unmodified) return unmodified;
  const { frontmatter = "", content } = await readText(app, skill, version);
  if (!request.isHead) recordDownload(app, actor, version);
  const body = isWhole ? frontmatter + content : content;
  return new Reply(body, { type: "text/markdown; charset=utf-8", headers });
}

/** Characters that are rendered; the rest is left out. */
const renderedLength = 30_000;
/** Maximum length of what they are rendered to: four times what text, lists and usual tables take. */
const maxHtmlLength = 300_000;

/** Rendered texts by version; versions never change, and access is decided before. */
const rendered = new LRUCache<string, { readme: Html; size: number }>({
  maxSize: 8 * 1024 * 1024,
  sizeCalculation: ({ size }) => size,
});
const rendering = new SingleFlight<Html>(Infinity);

/** The text of a version as HTML, without its frontmatter. A text that is too costly to render is linked. */
export async function readmeHtml(
  app: App,
  actor: Actor,
  skill: SkillDoc,
  version: VersionDoc,
): Promise<Html> {
  const key = `${version._id} ${skill.publicId}`;
  const cached = rendered.get(key);
  if (cached) return cached.readme;
  const keep = (readme: Html) => {
    rendered.set(key, { readme, size: 2 * readme.toString().length + 100 });
    return readme;
  };
  try {
    return keep(await rendering.run(key, () => renderReadme(app, actor, skill, version)));
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    if (error.code === "too_costly") return keep(linkToSource(skill, "This text takes too long to render"));
    if (error.code === "rate_limited" || error.code === "unavailable")
      return linkToSource(skill, "This text can't be rendered at the moment");
    throw error;
  }
}

async function renderReadme(app: App, actor: Actor, skill: SkillDoc, version: VersionDoc): Promise<Html> {
  const { content } = await readText(app, skill, version);
  const body = version.format === "package" ? (cutFences(content)?.body ?? content) : content;
  const markup = await app.compute.by(actorKey(actor)).run("render", {
    text: body.slice(0, renderedLength),
    fileUrl: { before: filesUrl(skill), after: `?version=${version.version}` },
  });
  if (markup.length > maxHtmlLength) throw new ServiceError("too_costly", "The text has too much markup.");
  const text = Html.rendered(markup);
  return body.length > renderedLength
    ? html`${text}
        <p><a href="/s/${skill.publicId}?raw">This is the beginning. Read the whole text.</a></p>`
    : text;
}

const linkToSource = ({ publicId }: SkillDoc, problem: string) =>
  html`<p>${problem}: <a href="/s/${publicId}?raw">see the source</a>.</p>`;

const filesUrl = ({ publicId }: SkillDoc) => `/api/skills/${publicId}/files/`;

/** Address of a file; `path` is encoded. */
export function versionFileUrl(skill: SkillDoc, version: VersionDoc, path: string): string {
  return `${filesUrl(skill)}${path}?version=${version.version}`;
}
