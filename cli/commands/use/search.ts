import { limits } from "../../../contract/limits.ts";
import type { CatalogItem, SkillPayload } from "../../../contract/payloads/skills.ts";
import { collectPages } from "../../api/pages.ts";
import { parseLimit } from "../../arguments/limit-flag.ts";
import { defineCommand } from "../../command.ts";
import { invalidArgument } from "../../errors.ts";
import { presentListed } from "../../present.ts";
import { openSession } from "../../state/session.ts";
import { plainLine, renderTable } from "../../terminal/table.ts";

const defaultLimit = 20;

export const search = defineCommand({
  positionals: {
    text: {
      required: true,
      max: limits.searchQuery,
      description: "Words of the name, slug, tags, description or text",
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
    "svc search review",
    'svc search "code review" --org acme',
    "svc search review --limit 5 -o json",
  ],
  async run(context, args) {
    const wanted = parseLimit(args.limit, defaultLimit);
    const query = args.text.trim();
    if (query === "") throw invalidArgument("<text>", "The text is empty: svc list shows all skills.");

    const { client } = await openSession(context);
    // A signed-out caller has no organizations; with --org, the service reports that a login is needed.
    const isSignedIn = client.options.token !== undefined || args.org !== undefined;
    const [own, catalog] = await Promise.all([
      isSignedIn
        ? collectPages(
            (cursor) => client.skills({ query, tenant_id: args.org, limit: pageSize(wanted), cursor }),
            wanted,
          )
        : nothing,
      args.org === undefined
        ? collectPages((cursor) => client.explore({ query, limit: pageSize(wanted), cursor }), wanted)
        : nothing,
    ]);
    const ownIds = new Set(own.items.map(({ publicId }) => publicId));
    const others = catalog.items.filter(({ publicId }) => !ownIds.has(publicId));
    const all = [
      ...own.items.map((skill) => found(skill, skill.visibility, true)),
      ...others.map((item) => found(item, "public", false)),
    ];
    const data = all.slice(0, wanted);
    if (own.more || catalog.more || all.length > wanted)
      context.output.note(`Only the first ${data.length} are shown: use --limit for more.`);
    const { columns, paint } = context.output;
    return {
      data,
      text:
        data.length === 0
          ? `No skill matches "${plainLine(query)}".`
          : renderTable(
              ["SKILL", "VERSION", "DESCRIPTION"],
              data.map((skill) => [
                `${skill.tenantSlug}/${skill.slug}`,
                skill.currentSemver,
                skill.description,
              ]),
              { columns, paintHead: (text) => paint("bold", text) },
            ),
    };
  },
});

const nothing = { items: [], more: false };

const pageSize = (wanted: number) => Math.min(wanted, limits.pageSizeMax);

/** A result, as in JSON output. */
function found(skill: SkillPayload | CatalogItem, visibility: SkillPayload["visibility"], own: boolean) {
  return { ...presentListed(skill), visibility, own };
}
