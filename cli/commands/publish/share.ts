import { limits } from "../../../contract/limits.ts";
import type { SkillPayload } from "../../../contract/payloads/skills/skills.ts";
import { skillTypes } from "../../../contract/vocabulary.ts";
import { checkSkillUrl } from "../../api/address.ts";
import { collectPages } from "../../api/pages.ts";
import { type CommandResult, defineCommand } from "../../command.ts";
import type { Context } from "../../context.ts";
import { CliError, invalidArgument, notFound } from "../../errors.ts";
import { allowSecretsFlag } from "../../pack/secrets.ts";
import { readSource } from "../../pack/source.ts";
import { stageContent } from "../../pack/stage-content.ts";
import { asKnownIdentity, withIdentity } from "../../state/identity.ts";
import { readConfig } from "../../state/read-config.ts";
import { serviceAddress } from "../../state/session.ts";
import { askText, requireInteraction } from "../../terminal/prompts.ts";
import { plainLine, renderTable } from "../../terminal/table.ts";

export const share = defineCommand({
  positionals: { path: { description: "A file, or a folder with a SKILL.md at its root" } },
  flags: {
    name: {
      short: "n",
      value: "required",
      hint: "name",
      form: "line",
      max: limits.skillName,
      description: "Display name",
    },
    type: {
      value: "required",
      choices: skillTypes,
      hint: skillTypes.join("|"),
      description: "Default skill",
    },
    "allow-secret-files": allowSecretsFlag,
    list: { value: "none", description: "List what you share from this machine" },
    delete: {
      value: "required",
      hint: "ref",
      description: "Delete a share permanently: its slug, public id or link",
    },
  },
  exclusive: [
    ["list", "delete"],
    ["list", "name"],
    ["list", "type"],
    ["delete", "name"],
    ["delete", "type"],
    ["list", "allow-secret-files"],
    ["delete", "allow-secret-files"],
  ],
  examples: [
    "svc share ./review.md",
    "svc share ./code-review -n 'Code review' -o json",
    "svc share --list",
    "svc share --delete code-review",
  ],
  async run(context, args) {
    const other = args.list ? "--list" : args.delete === undefined ? undefined : "--delete";
    if (other !== undefined && args.path !== undefined)
      throw invalidArgument("<path>", `${other} takes no path: share ${args.path} without it.`);
    if (args.list) return listShares(context);
    if (args.delete !== undefined) return deleteShare(context, args.delete);
    if (args.path === undefined)
      requireInteraction(context, "<path>", "Say what to share: svc share <path>.");
    const path = args.path ?? (await askText("Which file or folder?", "./my-skill"));
    return sharePath(context, path, args);
  },
});

async function sharePath(
  context: Context,
  path: string,
  flags: { name: string | undefined; type: string | undefined; "allow-secret-files": boolean },
): Promise<CommandResult> {
  const { name } = flags;
  const source = await readSource(context, path, {
    allowSecrets: flags["allow-secret-files"],
    isNamed: name !== undefined,
  });
  const type = flags.type ?? source.defaultType;
  const {
    skill,
    identity,
    unchanged,
    warnings: remarks,
    ...answer
  } = await withIdentity(context, await addressOf(context), async (client) => {
    const content = await stageContent(context, client, source);
    const chosen = { name: name ?? source.name, type };
    return client.share({ ...content, ...chosen });
  }).catch((error: unknown) => {
    throw atLimit(error);
  });
  const url = checkSkillUrl(answer.url);
  const warnings = [...source.warnings, ...(remarks ?? [])];
  for (const warning of warnings) context.output.warn(warning);
  const { username, tenantSlug, anonymous } = identity;
  const title = context.output.paint("bold", plainLine(skill.name));
  return {
    data: {
      skill: { publicId: skill.publicId, slug: skill.slug, name: skill.name },
      url,
      installCommand: installCommand(url),
      identity: { username, tenantSlug, anonymous },
      warnings,
    },
    text: [
      unchanged ? `${title} is already shared.` : `Shared ${title} without an account.`,
      url,
      `Install it with: ${installCommand(url)}`,
      `It is unlisted: no list or search shows it, and anyone with the link can read and install it.`,
    ].join("\n"),
  };
}

async function listShares(context: Context): Promise<CommandResult> {
  const apiUrl = await addressOf(context);
  const shares = (await findShares(context, apiUrl)).map((skill) => {
    const { publicId, slug, name, type, currentVersion, currentSemver, updatedAt, takedown } = skill;
    const url = checkSkillUrl(`${apiUrl}/s/${publicId}`);
    const version = { currentVersion, currentSemver };
    const shown = { publicId, slug, name, type, ...version, url, installCommand: installCommand(url) };
    return { ...shown, updatedAt, takedown };
  });
  for (const { slug, takedown } of shares)
    if (takedown !== undefined)
      context.output.warn(
        `"${slug}" was taken down by an administrator of the service: ${plainLine(takedown.reason)}`,
      );
  const table = renderTable(
    ["SLUG", "VERSION", "LINK", "NAME"],
    shares.map(({ slug, currentSemver, name, url }) => [slug, currentSemver, url, name]),
    { columns: context.output.columns, paintHead: (text) => context.output.paint("bold", text) },
  );
  return {
    data: shares,
    text:
      shares.length === 0
        ? "You share nothing from this machine. Share something with svc share <path>."
        : `${table}\n${shares.length} of ${limits.anonymousShares} shares. Make room with svc share --delete <slug>.`,
  };
}

async function deleteShare(context: Context, ref: string): Promise<CommandResult> {
  const apiUrl = await addressOf(context);
  const shares = await findShares(context, apiUrl);
  const publicId = /\/s\/([A-Za-z0-9]{10})\/?$/.exec(ref)?.[1] ?? ref;
  const found = shares.find(
    (skill) =>
      skill.publicId === publicId || skill.slug === ref || `${skill.tenantSlug}/${skill.slug}` === ref,
  );
  if (found === undefined)
    throw notFound("skill", ref, `You share no "${plainLine(ref)}" from this machine: see svc share --list.`);
  await asKnownIdentity(context, apiUrl, (client) => client.remove(found.publicId));
  const { slug, name } = found;
  return {
    data: { skill: { publicId: found.publicId, slug, name }, deleted: true },
    text: `Deleted ${context.output.paint("bold", plainLine(name))}: its link leads nowhere any more.`,
  };
}

async function findShares(context: Context, apiUrl: string): Promise<SkillPayload[]> {
  const found = await asKnownIdentity(context, apiUrl, (client) =>
    collectPages((cursor) => client.skills({ limit: 200, cursor }), 1000),
  );
  return found?.items ?? [];
}

/** A client of the profile's service, without its login. */
async function addressOf(context: Context): Promise<string> {
  return serviceAddress(context, await readConfig(context));
}

function atLimit(error: unknown): unknown {
  if (!(error instanceof CliError) || error.details?.["reason"] !== "shares") return error;
  const remedy = "svc share --list shows them, svc share --delete <slug> makes room.";
  return new CliError(error.code, `${error.message} ${remedy}`, error.details, { cause: error });
}

const installCommand = (url: string) => `svc install ${url}`;
