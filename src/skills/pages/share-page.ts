/** The page of a skill at `/s/{publicId}`: readme, files and install line, without script. */
import type { ManifestFile } from "../../../contract/payloads/skills/skills.ts";
import { bytesText } from "../../../contract/text/size-text.ts";
import type { SkillDoc } from "../../../storage/skills/skills.ts";
import type { VersionDoc } from "../../../storage/versions/versions.ts";
import type { Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { ServiceError } from "../../errors.ts";
import { html } from "../../http/pages/html.ts";
import { pageReply } from "../../http/pages/pages.ts";
import { showHidden } from "../../http/pages/show-hidden.ts";
import type { Reply } from "../../http/route.ts";
import { isOpen } from "../load.ts";
import { warningsAbout } from "../marks/marks.ts";
import { skillUrl } from "../present.ts";
import { readManifest } from "../read/manifest.ts";
import { selectVersion, shownVersion } from "../versions/select-version.ts";
import { readmeHtml, versionFileUrl } from "./skill-text.ts";

/** Files that the page lists; a package may have thousands. */
const listedFiles = 50;

export async function sharePage(app: App, actor: Actor, skill: SkillDoc): Promise<Reply> {
  let version: VersionDoc;
  try {
    version = await selectVersion(app, skill, { kind: "current" });
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== "not_found") throw error;
    return withheldPage(app, actor, skill, error);
  }
  const [readme, { files }] = await Promise.all([
    readmeHtml(app, actor, skill, version),
    readManifest(app, skill, version),
  ]);
  const isSignedIn = actor.kind === "user";
  const body = html`
    ${takedownAlert(skill)} ${alerts(warningsAbout(skill, version))}
    ${skill.description !== "" && html`<p class="lead">${showHidden(skill.description)}</p>`}
    <div class="columns">
      <article class="readme" aria-label="Text of the skill">${readme}</article>
      <aside aria-label="About this skill">
        ${installSection(app, skill, { isSignedIn })}${factsSection(skill, version)}${filesSection(skill, version, files)}
        ${isOpen(skill) && html`<p><a href="/s/${skill.publicId}/report">Report this skill</a></p>`}
      </aside>
    </div>
  `;
  return pageReply({
    title: `${skill.tenantSlug}/${skill.slug}`,
    signedInAs: actor.kind === "user" ? actor.name : undefined,
    body,
    isWide: true,
    // An unlisted skill is found by its link only.
    isIndexed: skill.visibility === "public",
  });
}

/** The page of a skill of which no version can be installed. */
async function withheldPage(app: App, actor: Actor, skill: SkillDoc, error: ServiceError): Promise<Reply> {
  const last = await shownVersion(app, skill);
  const body = html`${takedownAlert(skill)} ${alerts([error.message])}
  ${last && alerts(warningsAbout(skill, last))}`;
  return pageReply(
    {
      title: `${skill.tenantSlug}/${skill.slug}`,
      signedInAs: actor.kind === "user" ? actor.name : undefined,
      body,
      isIndexed: false,
    },
    { status: error.status },
  );
}

const takedownAlert = ({ takedown }: SkillDoc) =>
  takedown &&
  html`<p class="alert">
    An administrator of this service has taken this skill down. Only members of its organization see it.
    Reason: ${takedown.reason}
  </p>`;

const alerts = (sentences: readonly string[]) =>
  sentences.map((sentence) => html`<p class="alert">${showHidden(sentence)}</p>`);

function installSection(app: App, skill: SkillDoc, { isSignedIn }: { isSignedIn: boolean }) {
  const path = `/${skill.tenantSlug}/${skill.slug}`;
  return html`<section>
    <h2>Install</h2>
    <pre tabindex="0" aria-label="Command"><code>svc install ${skillUrl(app, skill)}</code></pre>
    ${
      isSignedIn
        ? html`<p><a class="button" href="${path}">Open in the dashboard</a></p>
            <p class="meta">
              From there you can copy the skill to your organization, and follow its versions.
            </p>`
        : html`<p>
              <a class="button" href="/sign-up?return_to=${encodeURIComponent(path)}">Keep a copy</a>
            </p>
            <p class="meta">
              An account keeps your own copy with its versions. The command installs the skill without one.
            </p>`
    }
  </section>`;
}

function factsSection(skill: SkillDoc, version: VersionDoc) {
  const published = version.createdAt.toISOString();
  return html`<section>
    <h2>This version</h2>
    <dl>
      <dt>Version</dt>
      <dd>${version.semver}</dd>
      <dt>Published</dt>
      <dd><time datetime="${published}">${published.slice(0, 10)}</time></dd>
      ${
        skill.author &&
        html`<dt>Author</dt>
          <dd><bdi>${showHidden(skill.author.name)}</bdi></dd>`
      }
      <dt>Type</dt>
      <dd>${skill.type}, ${skill.visibility}</dd>
      ${
        skill.tags.length > 0 &&
        html`<dt>Tags</dt>
          <dd>${skill.tags.map(showHidden).join(", ")}</dd>`
      }
      <dt>Text</dt>
      <dd><a href="/s/${skill.publicId}?raw">Markdown</a></dd>
    </dl>
  </section>`;
}

function filesSection(skill: SkillDoc, version: VersionDoc, files: readonly ManifestFile[]) {
  const more = files.length - listedFiles;
  const address = (path: string) =>
    versionFileUrl(
      skill,
      version,
      path
        .split("/")
        .map((segment) => encodeURIComponent(segment))
        .join("/"),
    );
  return html`<section>
    <h2>Files</h2>
    <ul class="files">
      ${files.slice(0, listedFiles).map(
        ({ path, size }) =>
          html`<li>
            <a href="${address(path)}"><bdi>${showHidden(path)}</bdi></a>
            <span class="meta">${bytesText(size)}</span>
          </li>`,
      )}
    </ul>
    ${more > 0 && html`<p class="meta">And ${more} more.</p>`}
  </section>`;
}
