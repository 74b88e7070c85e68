import type { MarketplacePayload } from "../../../contract/payloads/discovery/marketplaces.ts";
import {
  addLine,
  claudeArchiveSettings,
  claudeSettings,
  credentialLine,
  marketplaceTools,
  settingsText,
} from "../../../contract/text/marketplace-texts.ts";
import { openMarketplaceCalls } from "../../api/calls/marketplaces.ts";
import { orgFlag } from "../../api/choose-organization.ts";
import { defineCommand } from "../../command.ts";
import { CliError } from "../../errors.ts";
import { openOrganization } from "../../state/open-organization.ts";
import { plainLine, renderTable } from "../../terminal/table.ts";

export const marketplace = defineCommand({
  positionals: { name: { description: "Name of the marketplace (default: list them)" } },
  flags: { org: orgFlag },
  examples: ["svc marketplace", "svc marketplace acme-members", "svc marketplace -o json"],
  async run(context, args) {
    const { client, organization } = await openOrganization(
      context,
      args,
      "Marketplaces of which organization?",
    );
    const all = await openMarketplaceCalls(client.options).list(organization.id);
    if (args.name === undefined) {
      const { columns, paint } = context.output;
      return {
        data: all,
        text: [
          renderTable(
            ["NAME", "FOR", "ADDRESS"],
            all.map((one) => [one.name, audienceOf(one), one.gitUrl]),
            { columns, paintHead: (text) => paint("bold", text), names: [0] },
          ),
          "",
          "svc marketplace <name> shows how tools add one.",
        ].join("\n"),
      };
    }
    const found = all.find(({ name }) => name === args.name);
    if (found === undefined)
      throw new CliError(
        "E_NOT_FOUND",
        `${organization.slug} has no marketplace "${args.name}". It has ${all.map(({ name }) => name).join(", ")}.`,
        { ref: args.name },
      );
    return {
      data: {
        ...found,
        claudeSettings: claudeSettings(found),
        claudeArchiveSettings: claudeArchiveSettings(found),
      },
      text: stepsOf(found),
    };
  },
});

function audienceOf({ audience, isPublic, collection }: MarketplacePayload): string {
  if (isPublic) return "anyone";
  return audience === "members" ? "members" : `readers of ${collection}`;
}

function stepsOf(found: MarketplacePayload): string {
  const { title, name, isPublic } = found;
  return [
    plainLine(title),
    ...(isPublic
      ? []
      : ["", "Once on a machine, so that git and the tools use your login:", `  ${credentialLine(found)}`]),
    ...marketplaceTools.flatMap(({ tool, program }) => [
      "",
      `${tool}:`,
      `  ${addLine(program, found)}`,
      `  ${program} plugin install <skill>@${name}`.replace("codex plugin install", "codex plugin add"),
    ]),
    "",
    "Claude Code, in settings.json of a person or project, or in managed-settings.json for all machines:",
    indented(claudeSettings(found)),
    "",
    "Or without Git, if the service has an HTTPS address:",
    indented(claudeArchiveSettings(found)),
  ].join("\n");
}

const indented = (settings: object) => settingsText(settings).replace(/^/gm, "  ");
