import { limits } from "../../../contract/limits.ts";
import { builtInRoles } from "../../../contract/vocabulary.ts";
import { openOrganizationCalls } from "../../api/calls/organization.ts";
import { defineCommand } from "../../command.ts";
import { invalidArgument } from "../../errors.ts";
import { openSession } from "../../state/session.ts";
import { plainLine, renderTable } from "../../terminal/table.ts";

export const orgList = defineCommand({
  positionals: {},
  flags: {},
  examples: ["svc org list", "svc org list -o json"],
  async run(context) {
    const { client } = await openSession(context);
    const organizations = await openOrganizationCalls(client.options).organizations();
    const { columns, paint } = context.output;
    return {
      data: organizations.map(({ id, slug, name, description, role, createdAt, deletionAt }) => ({
        id,
        slug,
        name,
        description,
        role,
        createdAt,
        deletionAt,
      })),
      text:
        organizations.length === 0
          ? "You belong to no organization yet. Create one with svc org create."
          : renderTable(
              ["SLUG", "YOUR ROLE", "NAME"],
              organizations.map(({ slug, role, name, deletionAt }) => [
                slug,
                roleText(role),
                deletionAt === undefined ? name : `${name} (will be erased on ${deletionAt.slice(0, 10)})`,
              ]),
              { columns, paintHead: (text) => paint("bold", text) },
            ),
    };
  },
});

function roleText(role: string | null): string {
  if (role === null) return "-";
  return builtInRoles.some((one) => one === role) ? role : "custom role";
}

export const orgCreate = defineCommand({
  positionals: {
    name: { required: true, form: "line", max: limits.orgName.max, description: "Name of the organization" },
  },
  flags: {
    slug: {
      value: "required",
      hint: "slug",
      form: "organization",
      max: limits.orgSlug.max,
      description: "Its part in references such as acme/code-review (default: made from the name)",
    },
  },
  examples: ["svc org create 'Acme Inc.' --slug acme", "svc org create acme -o json"],
  async run(context, args) {
    const { min, max } = limits.orgSlug;
    const slug = args.slug;
    if (slug !== undefined && (slug.length < min || slug.length > max))
      throw invalidArgument("--slug", `A slug has ${min} to ${max} characters.`);
    const { client } = await openSession(context);
    const input = { name: args.name, slug };
    const made = await openOrganizationCalls(client.options).createOrganization(input);
    const organization = { id: made.id, slug: made.slug, name: made.name };
    return {
      data: { organization, created: true },
      text:
        `Created ${context.output.paint("bold", plainLine(made.name))} (${made.slug}). ` +
        `Invite people with svc org invite --org ${made.slug}.`,
    };
  },
});
