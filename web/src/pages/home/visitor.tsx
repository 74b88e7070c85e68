import { Button, TextInput } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { Search } from "lucide-react";
import { limits } from "../../../../contract/limits.ts";
import { countText } from "../../../../contract/text/count-text.ts";
import { catalogQuery } from "../../api/catalog.ts";
import { serviceQuery } from "../../api/home.ts";
import { Command } from "../../parts/copy/command.tsx";
import { commandLine } from "../../parts/copy/shell.ts";
import { SkeletonRows } from "../../parts/states/skeleton-rows.tsx";

const shown = 6;

/** Home of a visitor: what the service is, public skills, and the way to the command line. */
export function VisitorHome() {
  const { data: service } = useQuery(serviceQuery);
  const navigate = useNavigate();
  const search = (event: React.SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const query = new FormData(event.currentTarget).get("query");
    void navigate({ to: "/explore", search: typeof query === "string" && query !== "" ? { query } : {} });
  };
  return (
    <>
      <div className="stack gap-3 intro">
        <h1>Skills for every agent, from one place</h1>
        <p className="sub">
          Publish a skill once. Every version is a Git commit, and <code className="mono">svc</code> installs
          it into each AI coding tool in that tool's own format.
        </p>
        <form role="search" className="row" onSubmit={search}>
          <TextInput
            className="grow"
            name="query"
            aria-label="Search skills and rules"
            placeholder="Name, tag or what it should do"
            leftSection={<Search size={16} />}
            maxLength={limits.searchQuery}
          />
          <Button type="submit" variant="default">
            Search
          </Button>
        </form>
        <div className="row">
          <Button component="a" href="/sign-in">
            Sign in
          </Button>
          {service?.signUpOpen && (
            <Button component="a" variant="default" href="/sign-up">
              Create an account
            </Button>
          )}
        </div>
      </div>
      <PublicSkills />
      <FirstCommands address={service?.baseUrl ?? location.origin} />
    </>
  );
}

function PublicSkills() {
  const found = useInfiniteQuery(catalogQuery({}));
  const items = found.data?.pages[0]?.data.slice(0, shown) ?? [];
  if (found.isPending) return <SkeletonRows rows={3} />;
  if (items.length === 0) return null;
  return (
    <section className="stack gap-3" aria-labelledby="public-heading">
      <div className="row between">
        <h2 id="public-heading">Public skills</h2>
        <Link to="/explore">All of them</Link>
      </div>
      <ul className="cards">
        {items.map((item) => (
          <li key={item.publicId} className="panel card">
            <a href={`/${item.tenantSlug}/${item.slug}`} className="name clip">
              <span className="owner">{item.tenantSlug}/</span>
              <b>{item.slug}</b>
            </a>
            <p className="sub two-lines">{item.description}</p>
            <p className="meta row">
              <span className="mono">{item.currentSemver}</span>
              <span>{countText(item.downloads, "download")}</span>
            </p>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Three commands: install the program, sign in, install a skill. */
function FirstCommands({ address }: { address: string }) {
  return (
    <section className="stack gap-3" aria-labelledby="commands-heading">
      <h2 id="commands-heading">From your terminal</h2>
      <Command text={`${commandLine("curl", "-fsSL", `${address}/cli/install.sh`)} | sh`} />
      <Command text={commandLine("svc", "login", address)} />
      <Command text="svc install team/skill" />
      <p className="meta">
        svc needs Node 20.19 or later. On Windows, use{" "}
        <code className="mono">npm install --global {address}/cli/svc.tgz</code>. The <a href="/docs">API</a>{" "}
        does the same without it.
      </p>
    </section>
  );
}
