import type { AuditEntryPayload } from "../../../contract/payloads/organizations/audit.ts";
import { type AuditFilters, openAuditLog } from "../../api/calls/audit.ts";
import { chooseOrganization } from "../../api/choose-organization.ts";
import { parseLimit } from "../../arguments/limit-flag.ts";
import { defineCommand } from "../../command.ts";
import type { Context } from "../../context.ts";
import { invalidArgument } from "../../errors.ts";
import { openSession } from "../../state/session.ts";
import { plainLine, renderTable } from "../../terminal/table.ts";
import { followAudit } from "./follow-audit.ts";

const defaultLimit = { list: 50, follow: 10 };

export const audit = defineCommand({
  positionals: {},
  flags: {
    org: {
      value: "required",
      hint: "id-or-slug",
      form: "organization",
      description: "The log of this organization (default: your own actions)",
    },
    event: {
      value: "required",
      hint: "name",
      multiple: true,
      completes: "event",
      description: "Only this event, as skill.created, or group of events, as folder.*; repeatable",
    },
    actor: {
      value: "required",
      hint: "user",
      description: "Only actions of this user name, user or token id",
    },
    resource: { value: "required", hint: "id", description: "Only actions on this skill, folder, token, …" },
    since: {
      value: "required",
      hint: "time",
      description: "From this time on: 2026-01-31, an ISO time, or a duration such as 2h or 7d",
    },
    until: { value: "required", hint: "time", description: "Before this time, in the same forms" },
    limit: {
      value: "required",
      hint: "n",
      description: `At most this many (default ${defaultLimit.list}, with --follow ${defaultLimit.follow})`,
    },
    follow: { short: "f", value: "none", description: "Print new entries until interrupted" },
  },
  exclusive: [["follow", "until"]],
  examples: [
    "svc audit --since 7d",
    "svc audit --org acme --event 'skill.*' --actor jane",
    "svc audit --org acme --follow -o json",
  ],
  async run(context, args) {
    const filters = readFilters(context, args);
    const wanted = parseLimit(args.limit, args.follow ? defaultLimit.follow : defaultLimit.list);
    const { client } = await openSession(context);
    const organization =
      args.org === undefined ? undefined : await chooseOrganization(context, client, args.org, "");
    const read = openAuditLog(client.options, organization?.id);
    if (args.follow) {
      const print = (entry: AuditEntryPayload) =>
        context.output.line(presentEntry(entry), cellsOf(entry).map(plainLine).join("  ").trimEnd());
      await followAudit(context, read, filters, { shown: wanted, print });
      return { data: undefined, text: "" };
    }
    const { entries, more } = await read(filters, wanted);
    if (more) context.output.note(`Only the newest ${entries.length} are shown: use --limit for more.`);
    const { columns, paint } = context.output;
    return {
      data: {
        organization,
        entries: entries.map(presentEntry),
        more,
      },
      text:
        entries.length === 0
          ? "No entries."
          : renderTable(["TIME", "EVENT", "ACTOR", "RESOURCE", "DETAILS"], entries.map(cellsOf), {
              columns,
              paintHead: (text) => paint("bold", text),
            }),
    };
  },
});

/** An entry, as in JSON output. */
function presentEntry(entry: AuditEntryPayload) {
  const { id, action, actor, resourceType, resourceId, metadata, ip, createdAt } = entry;
  return {
    id,
    action,
    actor: { type: actor.type, id: actor.id || undefined, name: actor.name },
    resourceType,
    resourceId,
    metadata: metadata ?? {},
    ip,
    createdAt,
  };
}

function cellsOf({
  action,
  actor,
  resourceType,
  resourceId,
  metadata,
  createdAt,
}: AuditEntryPayload): string[] {
  const details = Object.entries(metadata ?? {}).flatMap(([key, value]) =>
    typeof value === "string" || typeof value === "number" || typeof value === "boolean"
      ? [`${key}=${value}`]
      : [],
  );
  return [
    createdAt.replace(/\.\d+Z$/, "Z"),
    action,
    actor.name,
    `${resourceType} ${resourceId}`,
    details.join(" "),
  ];
}

function readFilters(
  context: Context,
  args: {
    event: readonly string[];
    actor: string | undefined;
    resource: string | undefined;
    since: string | undefined;
    until: string | undefined;
  },
): AuditFilters {
  const { event, actor, resource, since, until } = args;
  return {
    action: event.length === 0 ? undefined : event.join(","),
    actor,
    resource_id: resource,
    from: since === undefined ? undefined : parseTime(context, "--since", since),
    to: until === undefined ? undefined : parseTime(context, "--until", until),
  };
}

const unitMs = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

/** A date is its midnight in UTC, a time without a zone is local, and a duration ends now. */
function parseTime({ now }: Context, flag: string, text: string): string {
  const duration = /^(\d{1,6})([smhdw])$/.exec(text);
  if (duration !== null) {
    const ms = Number(duration[1]) * unitMs[duration[2] as keyof typeof unitMs];
    return new Date(now().getTime() - ms).toISOString();
  }
  const isIso = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)?)?$/.test(text);
  const time = isIso ? Date.parse(text) : NaN;
  if (Number.isNaN(time))
    throw invalidArgument(
      flag,
      `"${text}" is not a time. Use 2026-01-31, 2026-01-31T08:00:00Z, or a duration such as 30m, 2h or 7d.`,
    );
  return new Date(time).toISOString();
}
