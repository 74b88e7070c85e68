import { useInfiniteQuery } from "@tanstack/react-query";
import { createFileRoute } from "@tanstack/react-router";
import { Laptop } from "lucide-react";
import { countText } from "../../../../contract/text/count-text.ts";
import { installsQuery, type OwnInstall } from "../../api/account/account.ts";
import { ButtonLink } from "../../parts/button-link.tsx";
import { Command } from "../../parts/copy/command.tsx";
import { useNextPage } from "../../parts/lists/found.ts";
import { List } from "../../parts/lists/list-section.tsx";
import { toolNames } from "../../parts/text/tool-names.ts";
import { SettingsPage } from "./frame.tsx";
import { InstallTable } from "./install-table.tsx";

export const Route = createFileRoute("/settings/installs")({ component: InstallsPage });

function InstallsPage() {
  return (
    <SettingsPage
      title="Installs"
      about="What svc has installed for you, by machine. Outdated versions come first."
    >
      {() => <Installs />}
    </SettingsPage>
  );
}

/** Pages that are loaded without being asked for, so that what is outdated is known. */
const pageBatchSize = 3;

function Installs() {
  const found = useInfiniteQuery(installsQuery);
  const pages = found.data?.pages.length ?? 0;
  useNextPage(found, pages > 0 && pages < pageBatchSize);
  return (
    <List found={found} rows={5} rowHeight={44} empty={<NoInstalls />}>
      {(installs) => <Machines installs={installs} isComplete={!found.hasNextPage} />}
    </List>
  );
}

function Machines({ installs, isComplete }: { installs: OwnInstall[]; isComplete: boolean }) {
  const machines = byMachine(installs);
  const outdated = machines.reduce((sum, machine) => sum + machine.outdated, 0);
  return (
    <div className="stack gap-6">
      {outdated > 0 ? (
        <section className="stack gap-3" aria-label="Updates">
          <p>
            <b>{countText(outdated, "install is outdated.", "installs are outdated.")}</b> Run this on the
            machine:
          </p>
          <Command text="svc pull" />
        </section>
      ) : (
        <p className="sub">Every install is up to date.</p>
      )}
      {machines.map((machine) => (
        <section key={machine.name} className="panel" aria-label={`Machine ${machine.name}`}>
          <header>
            <Laptop size={16} />
            <h2 className="grow clip" title={machine.name}>
              Machine <span className="mono">{shortened(machine.name)}</span>
            </h2>
            <span className={machine.outdated > 0 ? "badge warn" : "badge ok"}>
              {machine.outdated > 0 ? `${machine.outdated} outdated` : "Up to date"}
            </span>
          </header>
          <ToolBudgets tools={machine.tools} isComplete={isComplete} />
          <InstallTable machine={machine.name} installs={machine.installs} />
        </section>
      ))}
    </div>
  );
}

/** A random id of svc by its beginning; programs may report names. */
const shortened = (machine: string) => (/^[0-9a-f]{32}$/.test(machine) ? machine.slice(0, 8) : machine);

function NoInstalls() {
  return (
    <section className="stack gap-3">
      <h2>Nothing installed yet</h2>
      <p className="sub">Installs of skills of your organizations appear here.</p>
      <Command text="svc install team/skill" />
      <div>
        <ButtonLink variant="default" to="/explore">
          Explore public skills
        </ButtonLink>
      </div>
    </section>
  );
}

interface Machine {
  name: string;
  installs: OwnInstall[];
  outdated: number;
  tools: Tool[];
}

/** A tool with the estimated tokens of the skills that it has. */
interface Tool {
  name: OwnInstall["platform"];
  skills: number;
  tokens: number;
}

/** Estimated tokens that the skills of each tool take in the context of its agents. */
function ToolBudgets({ tools, isComplete }: { tools: readonly Tool[]; isComplete: boolean }) {
  return (
    <p className="body meta">
      In context at all times, estimated from names and descriptions:{" "}
      {tools
        .map(
          ({ name, skills, tokens }) =>
            `${toolNames[name]} ${isComplete ? "about" : "at least"} ${countText(tokens, "token")} (${countText(skills, "skill")})`,
        )
        .join(", ")}
      .
    </p>
  );
}

function toolsOf(installs: readonly OwnInstall[]): Tool[] {
  const tools = new Map<OwnInstall["platform"], Map<string, number>>();
  for (const { platform, skill, idleTokens } of installs)
    tools.set(platform, new Map([...(tools.get(platform) ?? []), [skill.id, idleTokens]]));
  return [...tools]
    .map(([name, skills]) => ({
      name,
      skills: skills.size,
      tokens: [...skills.values()].reduce((sum, tokens) => sum + tokens, 0),
    }))
    .sort((a, b) => b.tokens - a.tokens);
}

/** Machines with the most outdated installs first, and in each the outdated ones first. */
function byMachine(all: OwnInstall[]): Machine[] {
  const names = new Map<string, OwnInstall[]>();
  for (const install of all) names.set(install.machine, [...(names.get(install.machine) ?? []), install]);
  return [...names]
    .map(([name, installs]) => ({
      name,
      outdated: installs.filter((one) => one.updateAvailable).length,
      tools: toolsOf(installs),
      installs: installs.sort(
        (a, b) =>
          Number(b.updateAvailable) - Number(a.updateAvailable) || a.skill.slug.localeCompare(b.skill.slug),
      ),
    }))
    .sort((a, b) => b.outdated - a.outdated || a.name.localeCompare(b.name));
}
