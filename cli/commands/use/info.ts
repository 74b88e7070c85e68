import type { SkillPayload } from "../../../contract/payloads/skills/skills.ts";
import { countText } from "../../../contract/text/count-text.ts";
import { spreadText } from "../../../contract/text/reach-text.ts";
import { checkSkillUrl } from "../../api/address.ts";
import { openChannelCalls } from "../../api/calls/channels.ts";
import { openReachCalls } from "../../api/calls/reach.ts";
import { unlessHidden } from "../../api/unless-hidden.ts";
import { parseUnpinnedRef } from "../../arguments/pins.ts";
import { defineCommand } from "../../command.ts";
import type { Context } from "../../context.ts";
import { resolveSkill } from "../../install/pins/resolve-skill.ts";
import { publisherWarnings, qualifiedName } from "../../install/publisher.ts";
import { presentRecord } from "../../install/records/record.ts";
import { scopesOf } from "../../install/records/scopes.ts";
import { originText, presentListed, presentMarks, presentOrigin, skillArgument } from "../../present.ts";
import { type Session, openSession } from "../../state/session.ts";
import { plainLine } from "../../terminal/table.ts";

/** As in the advice of `svc lint`. */
const bytesPerToken = 4;
/** Number of files that the text lists; JSON contains all of them. */
const shownFiles = 20;

export const info = defineCommand({
  positionals: { skill: { ...skillArgument, completes: "installed" } },
  flags: {},
  examples: ["svc info code-review", "svc info acme/code-review -o json"],
  async run(context, args) {
    const ref = parseUnpinnedRef(args.skill, "<skill>", "info takes no pin: it shows the current version.");
    const data = await readInfo(await openSession(context), ref);
    return { data, text: describe(context, data) };
  },
});

type Info = Awaited<ReturnType<typeof readInfo>>;

async function readInfo(session: Session, ref: string) {
  const { client } = session;
  const resolved = await resolveSkill(session, ref);
  const { skill, version } = resolved;
  const [manifest, newest, channels, folderPath, reach, ownerTeam] = await Promise.all([
    client.manifest(skill.publicId, version.version),
    client.versions(skill.publicId, { prerelease: true, limit: 1 }),
    findChannels(session, skill),
    findFolderPath(session, skill),
    findReach(session, skill, version.semver),
    findOwner(session, skill),
  ]);
  const files = manifest.files.map(({ path, size }) => ({ path, size }));
  const main = files.find(({ path }) => path === "SKILL.md" || path === "RULE.md");
  const { publicId, visibility, folderId, updatedAt } = skill;
  return {
    skill: {
      ...presentListed(skill),
      ...presentMarks(skill),
      visibility,
      folderId: folderId ?? null,
      ownerTeam,
      updatedAt,
    },
    warnings: publisherWarnings(resolved),
    url: checkSkillUrl(`${session.apiUrl}/s/${publicId}`),
    format: version.format,
    // Versions are numbered without gaps.
    versionCount: newest.items[0]?.version ?? version.version,
    publishedAt: version.createdAt,
    channels,
    spread: reach && { ...reach.spread, exact: reach.isExact },
    origin: presentOrigin(version),
    files,
    totalSize: files.reduce((sum, { size }) => sum + size, 0),
    estimatedTokens: Math.ceil((main?.size ?? 0) / bytesPerToken),
    access: {
      visibility,
      restricted: skill.restricted,
      folderPath,
    },
    installed: installsOf(session, publicId),
  };
}

/** Channels of a skill; none on a service of an earlier version. */
async function findChannels({ client }: Session, { publicId }: SkillPayload) {
  const channels = await unlessHidden(() => openChannelCalls(client.options).list(publicId));
  return (channels ?? []).map(({ name, semver }) => ({ name, semver }));
}

/** Who gets a version; undefined for callers who may not know, and on a service of an earlier version. */
function findReach({ client }: Session, { publicId }: SkillPayload, wanted: string) {
  if (client.options.token === undefined) return undefined;
  return unlessHidden(() => openReachCalls(client.options).read(publicId, wanted));
}

/** The team that looks after a skill; undefined for callers outside of its organization. */
async function findOwner({ client }: Session, { publicId }: SkillPayload) {
  if (client.options.token === undefined) return undefined;
  const team = (await unlessHidden(() => client.skill(publicId)))?.ownerTeam;
  return team && { id: team.id, name: team.name };
}

/** The path of the skill's folder, empty for the root; undefined if the caller may not list folders. */
async function findFolderPath(
  { client }: Session,
  { folderId, tenantId }: SkillPayload,
): Promise<string | undefined> {
  if (folderId === null || folderId === undefined) return "";
  const folders = await unlessHidden(() => client.folders(tenantId));
  return folders?.find(({ id }) => id === folderId)?.path;
}

function installsOf({ config, profile }: Session, publicId: string) {
  return Object.entries(config.profiles[profile]?.installed ?? {})
    .filter(([, skill]) => skill.publicId === publicId)
    .flatMap(([installName, skill]) =>
      scopesOf(skill).map(({ version, semver, range, records }) => ({
        installName,
        version,
        semver,
        pin: range,
        installs: records.map(presentRecord),
      })),
    );
}

function spreadOf(spread: Info["spread"]): string {
  const text = spread && spreadText({ spread, isExact: spread.exact });
  return text === undefined ? "" : `on ${text}`;
}

function describe({ output: { paint } }: Context, data: Info): string {
  const { skill, access, files, installed } = data;
  const published = `${dayOf(data.publishedAt)} (${countText(data.versionCount, "version")})`;
  const fileCount = countText(files.length, "file");
  const rows: [string, string][] = [
    ["Name", skill.name],
    ["Description", skill.description],
    ["Type", skill.type],
    ["Tags", (skill.tags ?? []).join(", ")],
    ["Version", `${skill.withheld ? "none to install; last " : ""}${skill.currentSemver} of ${published}`],
    ...data.warnings.map((warning): [string, string] => ["Warning", warning]),
    ["Channels", data.channels.map(({ name, semver }) => `${name} ${semver ?? "(no version)"}`).join(", ")],
    ["Spread", spreadOf(data.spread)],
    ["Origin", data.origin ? `${originText(data)} ${data.origin.runUrl ?? ""}`.trim() : ""],
    ["Content", `${fileCount}, ${sizeOf(data.totalSize)}, about ${data.estimatedTokens} tokens to load`],
    ["Visibility", readersOf(access)],
    ["Folder", access.folderPath === "" ? "/ (the root)" : (access.folderPath ?? "")],
    ["Owner team", skill.ownerTeam?.name ?? ""],
    ["Page", data.url],
  ];
  const shown = files.slice(0, shownFiles).map(({ path, size }) => `  ${plainLine(path)}  ${sizeOf(size)}`);
  const more = files.length > shownFiles ? [`  … and ${files.length - shownFiles} more`] : [];
  return [
    paint("bold", qualifiedName(skill)),
    ...rows
      .filter(([, value]) => value !== "")
      .map(([label, value]) => `${`${label}:`.padEnd(13)}${plainLine(value)}`),
    "",
    paint("bold", "Files"),
    ...shown,
    ...more,
    "",
    paint("bold", "Installed on this machine"),
    ...(installed.length > 0
      ? []
      : skill.withheld
        ? ["  Not installed."]
        : [`  Not installed. Try svc install ${qualifiedName(skill)}.`]),
    ...installed.flatMap(({ installName, semver, pin, installs }) => [
      `  ${plainLine(installName)} ${plainLine(semver)}, pin ${plainLine(pin)}`,
      ...installs.map(({ platform, path }) => `    ${paint("green", platform)}  ${plainLine(path)}`),
    ]),
  ].join("\n");
}

function readersOf({ visibility, restricted }: Info["access"]): string {
  if (restricted) return `${visibility}; only people with access to its restricted folder can read it`;
  if (visibility === "public") return "public: everyone can find and read it";
  if (visibility === "unlisted") return "unlisted: everyone who has its link can read it";
  return `${visibility}: members of the organization can read it`;
}

/** The day of a time from the service, which is not checked for its form. */
function dayOf(time: unknown): string {
  return typeof time === "string" ? time.slice(0, 10) : "an unknown day";
}

function sizeOf(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const kib = bytes / 1024;
  return kib < 1024 ? `${kib.toFixed(1)} KiB` : `${(kib / 1024).toFixed(1)} MiB`;
}
