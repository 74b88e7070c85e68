import { limits } from "../../../contract/limits.ts";
import type { SearchHit } from "../../../contract/payloads/discovery/search.ts";
import { collectPages } from "../../api/pages.ts";
import { parseLimit } from "../../arguments/limit-flag.ts";
import { defineCommand } from "../../command.ts";
import { invalidArgument } from "../../errors.ts";
import { currentText, presentListed, presentMarks } from "../../present.ts";
import { openSession } from "../../state/session.ts";
import { plainLine, renderTable } from "../../terminal/table.ts";

const defaultLimit = 20;

export const search = defineCommand({
  positionals: {
    text: {
      required: true,
      max: limits.searchQuery,
      description: "Words of the task, or of a name",
    },
  },
  flags: {
    org: {
      value: "required",
      hint: "id-or-slug",
      form: "organization",
      description: "Only this organization, which must be one of yours",
    },
    limit: { value: "required", hint: "n", description: `At most this many (default ${defaultLimit})` },
  },
  examples: [
    'svc search "fill in a pdf form"',
    'svc search "code review" --org acme',
    "svc search review --limit 5 -o json",
  ],
  async run(context, args) {
    const wanted = parseLimit(args.limit, defaultLimit);
    const query = args.text.trim();
    if (query === "") throw invalidArgument("<text>", "The text is empty: svc list shows all skills.");

    const { client } = await openSession(context);
    let notes: readonly string[] = [];
    const { items, more } = await collectPages(async (cursor) => {
      const page = await client.search({
        query,
        scope: args.org === undefined ? undefined : "mine",
        tenant: args.org,
        limit: pageSize(wanted),
        cursor,
      });
      if (cursor === undefined) notes = notesOf(page.fields ?? {}, page.items.length);
      return page;
    }, wanted);
    for (const note of notes) context.output.note(note);
    if (more) context.output.note(`Only the first ${items.length} are shown: use --limit for more.`);
    const { columns, paint } = context.output;
    return {
      data: items.map(found),
      text:
        items.length === 0
          ? `No skill matches "${plainLine(query)}".`
          : renderTable(
              ["SKILL", "VERSION", "DESCRIPTION"],
              items.map(({ skill, sentence }) => [
                `${skill.tenantSlug}/${skill.slug}`,
                currentText(skill),
                sentence?.text ?? skill.description,
              ]),
              { columns, paintHead: (text) => paint("bold", text) },
            ),
    };
  },
});

/** Remarks of the service about the result as a whole. */
function notesOf(
  { confidence, competing, searchedFor }: Readonly<Record<string, unknown>>,
  count: number,
): string[] {
  const corrections = Array.isArray(searchedFor)
    ? (searchedFor as { typed?: unknown; used?: unknown }[])
    : [];
  return [
    ...corrections.map(
      ({ typed, used }) =>
        `No skill has "${plainLine(String(typed))}": searched for "${plainLine(String(used))}" instead.`,
    ),
    ...(confidence === "low" && count > 0 ? ["No skill matches well. The nearest ones:"] : []),
    ...(competing === true
      ? ["The first two match almost equally well: svc info shows what each does."]
      : []),
  ];
}

const pageSize = (wanted: number) => Math.min(wanted, limits.pageSizeMax);

/** A result, as in JSON output. */
function found({ skill, own, score, fields, sentence }: SearchHit) {
  const { visibility } = skill;
  return {
    ...presentListed(skill),
    ...presentMarks(skill),
    visibility,
    own,
    score,
    matched: fields,
    sentence: sentence?.text,
  };
}
