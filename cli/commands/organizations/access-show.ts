import type {
  AccessReasonPayload,
  EffectiveAccessPayload,
} from "../../../contract/payloads/organizations/folders.ts";
import { countText } from "../../../contract/text/count-text.ts";
import { openAccessCalls } from "../../api/calls/access.ts";
import { openOrganizationCalls } from "../../api/calls/organization.ts";
import { orgFlag } from "../../api/choose-organization.ts";
import { defineCommand } from "../../command.ts";
import type { Context } from "../../context.ts";
import { openSession } from "../../state/session.ts";
import { plainLine, renderTable } from "../../terminal/table.ts";
import { type AccessTarget, findTarget, type Restriction, restrictionOf } from "./access-target.ts";
import { findMember } from "./find.ts";

export const accessShow = defineCommand({
  positionals: {
    target: { required: true, description: "A skill, or the path of a folder; ops/ is always a folder" },
  },
  flags: {
    org: orgFlag,
    user: { value: "required", hint: "user", description: "This member only" },
    all: { value: "none", description: "List members without access too, with the reason" },
  },
  examples: [
    "svc access show acme/code-review",
    "svc access show ops/reviews/ --all",
    "svc access show ops/ --user ada -o json",
  ],
  async run(context, args) {
    const { client } = await openSession(context);
    const target = await findTarget(context, client, args.target, args.org);
    const { organization, named } = target;
    const calls = openAccessCalls(client.options);
    const only =
      args.user === undefined
        ? undefined
        : await findMember(openOrganizationCalls(client.options), organization, args.user);
    const found = await (named.kind === "skill"
      ? calls.skillReaders(named.skill.publicId, only?.username)
      : calls.folderReaders(named.folder.id, only?.username));
    const rows = found.filter(({ principal }) => only === undefined || principal.id === only.userId);
    const restriction = await restrictionOf(calls, target);
    const isListed = args.all || only !== undefined;
    return {
      data: {
        organization,
        ...presentTarget(target),
        restriction,
        members: rows.map(({ principal, can, reasons }) => ({
          userId: principal.id,
          username: principal.name,
          can,
          reasons,
        })),
      },
      text: textOf(context, { heading: headingOf(target, restriction), rows, isListed }),
    };
  },
});

function presentTarget({ named }: AccessTarget) {
  if (named.kind === "folder") {
    const { id, path, name } = named.folder;
    return { folder: { id, path, name } };
  }
  const { publicId, slug, tenantSlug, name, visibility } = named.skill;
  return { skill: { publicId, slug, tenantSlug, name, visibility } };
}

function headingOf({ named, organization }: AccessTarget, restriction: Restriction | null): string {
  const where = restriction?.path === undefined ? "a restricted folder" : `${restriction.path}/`;
  if (named.kind === "folder") {
    const name = `Folder ${plainLine(named.folder.path)}/ of ${organization.slug}`;
    if (restriction === null) return `${name} is open to the roles of the organization.`;
    return restriction.folderId === named.folder.id
      ? `${name} is restricted.`
      : `${name} is under the restriction of ${plainLine(where)}.`;
  }
  const { name, tenantSlug, slug, visibility } = named.skill;
  const skill = `${plainLine(name)} (${tenantSlug}/${slug})`;
  if (restriction !== null)
    return `${skill} is under the restriction of ${plainLine(where)}, which overrides its visibility (${visibility}).`;
  if (visibility === "public") return `${skill} is public: everyone on the internet can read it.`;
  if (visibility === "unlisted") return `${skill} is unlisted: everyone who has its link can read it.`;
  return `${skill} is private to the organization.`;
}

function textOf(
  context: Context,
  shown: { heading: string; rows: readonly EffectiveAccessPayload[]; isListed: boolean },
): string {
  const { columns, paint } = context.output;
  const { heading, rows, isListed } = shown;
  const listed = isListed ? rows : rows.filter(({ can }) => can.length > 0);
  const without = rows.length - listed.length;
  const table = renderTable(
    ["USER", "CAN", "WHY"],
    listed.map(({ principal, can, reasons }) => [
      principal.name,
      can.length === 0 ? "-" : can.join(", "),
      reasons.map(reasonText).join("; "),
    ]),
    { columns, paintHead: (text) => paint("bold", text) },
  );
  const members = countText(without, "member has", "members have");
  return [
    heading,
    ...(listed.length === 0 ? [] : ["", table]),
    ...(without === 0 ? [] : ["", paint("dim", `${members} no access: add --all to list why.`)]),
  ].join("\n");
}

function reasonText({ kind, id = "", name, type, level }: AccessReasonPayload): string {
  const called = name ?? id;
  switch (kind) {
    case "role":
      return `role ${called}`;
    case "team":
      return `a role of team ${called}`;
    case "grant":
      return type === "team" ? `${level ?? ""} grant to team ${called}` : `${level ?? ""} grant`;
    case "bypass":
      return "not subject to restrictions (folder: manageAcl)";
    case "workspace":
      return "own personal workspace";
    case "visibility":
      return "anyone can read it";
    case "ungranted":
      return `no grant on ${called}/`;
    case "unpermitted":
      return "no role allows reading skills";
    default:
      return kind;
  }
}
