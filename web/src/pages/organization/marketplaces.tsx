import { useQuery } from "@tanstack/react-query";
import {
  addLine,
  claudeArchiveSettings,
  claudeSettings,
  credentialLine,
  marketplaceTools,
  settingsText,
} from "../../../../contract/text/marketplace-texts.ts";
import type { Schemas } from "../../api/client.ts";
import { query } from "../../api/query.ts";
import { Command } from "../../parts/copy/command.tsx";
import { CopyFile } from "../../parts/copy/copy-file.tsx";
import { Loaded } from "../../parts/states/loaded.tsx";

type Marketplace = Schemas["Marketplace"];

/** How tools install the organization's skills as plugins. */
export function Marketplaces({ slug }: { slug: string }) {
  const found = useQuery(query("/api/tenants/{tenant}/marketplaces", { tenant: slug }));
  const closed = found.data?.find(({ isPublic }) => !isPublic);
  return (
    <section className="stack gap-3" style={{ maxWidth: 720 }} aria-labelledby="marketplaces-heading">
      <h2 id="marketplaces-heading">Marketplaces</h2>
      <p className="meta">
        {marketplaceTools.map(({ tool }) => tool).join(", ")} install the organization&apos;s skills as
        plugins from these.
      </p>
      <Loaded found={found} rows={2} rowHeight={64}>
        {(all) => (
          <ul className="plain-list stack gap-3">
            {all.map((one) => (
              <li key={one.gitUrl} className="stack">
                <p>
                  <b>{one.name}</b>, for {audienceOf(one)}
                </p>
                <Lines marketplace={one} />
                <Settings marketplace={one} />
              </li>
            ))}
          </ul>
        )}
      </Loaded>
      {closed && (
        <div className="stack">
          <p className="meta">Once on a machine, so that Git uses the login of svc:</p>
          <Command text={credentialLine(closed)} label="Copy the line for Git" />
        </div>
      )}
    </section>
  );
}

/** The line of each tool that adds the marketplace. */
const Lines = ({ marketplace }: { marketplace: Marketplace }) =>
  marketplaceTools.map(({ tool, program }) => (
    <Command
      key={program}
      text={addLine(program, marketplace)}
      label={`Copy the line of ${tool} for ${marketplace.name}`}
    />
  ));

/** Settings of Claude Code by which the marketplace is known without a command, also on all machines. */
function Settings({ marketplace }: { marketplace: Marketplace }) {
  return (
    <details className="meta">
      <summary>Settings of Claude Code for {marketplace.name}</summary>
      <div className="stack gap-3">
        <p>
          For a person or project in <code>settings.json</code>, for all machines in{" "}
          <code>managed-settings.json</code>:
        </p>
        <CopyFile path="settings.json" text={settingsText(claudeSettings(marketplace))} />
        <p>Or without Git, if this service has an HTTPS address:</p>
        <CopyFile path="settings.json without Git" text={settingsText(claudeArchiveSettings(marketplace))} />
      </div>
    </details>
  );
}

function audienceOf({ audience, isPublic, collection }: Marketplace): string {
  if (isPublic) return "anyone";
  return audience === "members" ? "every member" : `the readers of the collection ${collection}`;
}
