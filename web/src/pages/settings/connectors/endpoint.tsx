import { Command } from "../../../parts/copy/command.tsx";

/** The one entry that gives agents the tools of all connectors. */
export function Endpoint() {
  return (
    <section className="panel" aria-labelledby="endpoint-heading">
      <header>
        <h2 id="endpoint-heading" className="grow">
          Use them from your agents
        </h2>
      </header>
      <div className="body stack gap-3">
        <p className="sub">
          One MCP server has the tools of all your connectors. Add its address to an agent as a remote server
          (HTTP). The agent opens this service in the browser when it needs your access.
        </p>
        <Command text={`${location.origin}/mcp/central`} label="Copy address" prompt="" />
        <p className="sub">The client adds it to the tools on your machine:</p>
        <Command text="svc mcp install central" />
      </div>
    </section>
  );
}
