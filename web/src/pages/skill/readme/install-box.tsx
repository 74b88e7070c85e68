import { Select } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { targets, type Target } from "../../../../../contract/vocabulary.ts";
import { identityQuery } from "../../../api/account/session.ts";
import type { Skill } from "../../../api/skills/skills.ts";
import { Command } from "../../../parts/copy/command.tsx";
import { Segments } from "../../../parts/page/segments.tsx";
import { toolNames } from "../../../parts/text/tool-names.ts";
import { useInstallChoice } from "./install-choice.ts";
import { firstCommand, installCommand, ways, type Pin, type Way } from "./install-command.ts";

/** The command that installs the shown version, for each client, tool, scope and pin. */
export function InstallBox({ skill, semver }: { skill: Skill; semver: string }) {
  const isCurrent = semver === skill.currentSemver;
  const [{ way, tool, scope }, choose] = useInstallChoice();
  const [chosenPin, setPin] = useState<Pin>("latest");
  const pin = isCurrent ? chosenPin : "exact";
  const address = `${location.origin}/${skill.tenantSlug}/${skill.slug}.git`;
  const ref = `${skill.tenantSlug}/${skill.slug}`;
  const command = (by: Exclude<Way, "mcp">) =>
    installCommand({ way: by, ref, slug: skill.slug, address, semver, tool, scope, pin });
  return (
    <section>
      <h3>Install</h3>
      <div className="stack">
        <Segments
          label="Install with"
          data={ways.map(({ value, label }) => ({ value, label }))}
          value={way}
          onChange={(value) => choose({ way: value })}
        />
        {way === "mcp" ? <UseByAgent skillRef={ref} /> : <Command text={command(way)} />}
        {(way === "svc" || way === "claude") && (
          <div className="choices">
            {way === "svc" && <ToolSelect tool={tool} onChange={(value) => choose({ tool: value })} />}
            <Select
              aria-label="Scope"
              size="xs"
              rightSectionWidth={20}
              data={[
                { value: "global", label: "everywhere" },
                { value: "project", label: "this project" },
              ]}
              value={scope}
              allowDeselect={false}
              onChange={(value) => choose({ scope: value ?? "global" })}
            />
            {way === "svc" && <PinSelect semver={semver} isCurrent={isCurrent} pin={pin} onChange={setPin} />}
          </div>
        )}
        {way === "svc" && <WithoutSvc command={command("svc")} />}
        {(way === "npx" || way === "git" || way === "claude") && skill.visibility === "private" && (
          <p className="meta">Git asks for a user name, which can be anything, and an API token.</p>
        )}
      </div>
    </section>
  );
}

/** For members on a new machine: a visitor may have no account to log in with. */
function WithoutSvc({ command }: { command: string }) {
  const { data: identity } = useQuery(identityQuery);
  if (!identity) return null;
  return (
    <details>
      <summary className="meta">svc is not installed yet</summary>
      <div className="stack gap-2">
        <Command text={firstCommand(location.origin, command)} label="Copy the command for a new machine" />
        <p className="meta">Installs svc, opens this site to log in, and installs the skill.</p>
      </div>
    </details>
  );
}

/** Nothing is installed: a connected agent reads the current version. */
function UseByAgent({ skillRef }: { skillRef: string }) {
  return (
    <>
      <Command text={`Use the skill ${skillRef}`} prompt="" label="Copy prompt" />
      <p className="meta">
        Say this to an agent that is <Link to="/settings/applications">connected to this service</Link>. It
        reads the current version, and nothing is installed.
      </p>
    </>
  );
}

function ToolSelect({ tool, onChange }: { tool: Target | ""; onChange: (tool: Target | "") => void }) {
  return (
    <Select
      aria-label="Tool"
      size="xs"
      rightSectionWidth={20}
      data={[
        { value: "", label: "ask me" },
        ...targets.map((target) => ({ value: target, label: toolNames[target] })),
      ]}
      value={tool}
      allowDeselect={false}
      onChange={(value) => onChange(value ?? "")}
    />
  );
}

interface PinProps {
  semver: string;
  isCurrent: boolean;
  pin: Pin;
  onChange: (pin: Pin) => void;
}
function PinSelect({ semver, isCurrent, pin, onChange }: PinProps) {
  const exact = { value: "exact" as const, label: semver };
  const all = [
    { value: "latest" as const, label: "latest" },
    { value: "compatible" as const, label: `^${semver}` },
    exact,
  ];
  return (
    <Select
      aria-label="Pin"
      size="xs"
      rightSectionWidth={20}
      data={isCurrent ? all : [exact]}
      value={pin}
      allowDeselect={false}
      onChange={(value) => onChange(value ?? "latest")}
    />
  );
}
