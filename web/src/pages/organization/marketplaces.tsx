import { useQuery } from "@tanstack/react-query";
import { addLine, credentialLine, marketplaceTools } from "../../../../contract/text/marketplace-texts.ts";
import type { Schemas } from "../../api/client.ts";
import { query } from "../../api/query.ts";
import { Command } from "../../parts/copy/command.tsx";
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
        plugins from these. The line is that of Claude Code; for the others, <code>svc marketplace</code>{" "}
        shows it.
      </p>
      <Loaded found={found} rows={2} rowHeight={64}>
        {(all) => (
          <ul className="plain-list stack gap-3">
            {all.map((one) => (
              <li key={one.gitUrl} className="stack">
                <p>
                  <b>{one.name}</b>, for {audienceOf(one)}
                </p>
                <Command text={addLine("claude", one)} label={`Copy the line for ${one.name}`} />
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

function audienceOf({ audience, isPublic, collection }: Marketplace): string {
  if (isPublic) return "anyone";
  return audience === "members" ? "every member" : `the readers of the collection ${collection}`;
}
