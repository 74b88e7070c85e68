import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Circle, CircleCheck, X } from "lucide-react";
import { useState } from "react";
import { ownTokensQuery } from "../../api/account.ts";
import { isConnectedQuery, latestSkillsQuery, memberCountQuery, ownInstallQuery } from "../../api/home.ts";
import { requirementQuery } from "../../api/organization/requirement.ts";
import { may, organizationQuery, type Identity } from "../../api/session.ts";
import { Command } from "../../parts/copy/command.tsx";
import { commandLine, installLine } from "../../parts/copy/shell.ts";

const storageKey = "svc-onboarding";

interface Step {
  label: string;
  /** Undefined while the answer is unknown. */
  isDone: boolean | undefined;
  href?: string;
  command?: string;
}

/** First steps in the first organization, checked off from what the API returns; shown until done or dismissed. */
export function Onboarding({ identity }: { identity: Identity }) {
  const [isDismissed, setDismissed] = useState(() => localStorage.getItem(storageKey) === identity.id);
  const steps = useSteps(identity, !isDismissed);
  const isKnown = steps.every(({ isDone }) => isDone !== undefined);
  if (isDismissed || !isKnown || steps.every(({ isDone }) => isDone)) return null;
  const done = steps.filter(({ isDone }) => isDone).length;
  const dismiss = () => {
    localStorage.setItem(storageKey, identity.id);
    setDismissed(true);
  };
  return (
    <section className="panel" aria-labelledby="onboarding-heading">
      <header>
        <h2 id="onboarding-heading" className="grow">
          First steps
        </h2>
        <span className="meta">
          {done} of {steps.length}
        </span>
        <Button size="compact-xs" variant="default" leftSection={<X size={12} />} onClick={dismiss}>
          Dismiss
        </Button>
      </header>
      <ul className="lines">
        {steps.map((step) => (
          <li key={step.label}>
            <StepLine step={step} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function StepLine({ step: { label, isDone, href, command } }: { step: Step }) {
  if (isDone)
    return (
      <span className="line dim">
        <CircleCheck size={16} className="ok" aria-label="Done:" role="img" />
        {label}
      </span>
    );
  return (
    <div className="step">
      <span className="line">
        <Circle size={16} aria-label="To do:" role="img" />
        {href === undefined ? label : <a href={href}>{label}</a>}
      </span>
      {command !== undefined && <Command text={command} />}
    </div>
  );
}

/** Only steps that the user's permissions allow. */
function useSteps(identity: Identity, enabled: boolean): Step[] {
  const { slug = "", tenantId = "" } = identity.memberships[0] ?? {};
  const { data: organization } = useQuery({ ...organizationQuery(slug), enabled });
  const can = (group: string, action: string) =>
    organization !== undefined && may(organization.permissions, group, action);
  const [canInvite, canConnect] = [can("member", "invite"), can("githubSync", "manage")];
  const skills = useQuery({ ...latestSkillsQuery(tenantId), enabled });
  const tokens = useQuery({ ...ownTokensQuery, enabled });
  const installs = useQuery({ ...ownInstallQuery, enabled });
  const members = useQuery({ ...memberCountQuery(slug), enabled: enabled && canInvite });
  const connected = useQuery({ ...isConnectedQuery(slug), enabled: enabled && canConnect });
  const canRequire = can("security", "manage");
  const requirement = useQuery({ ...requirementQuery(slug), enabled: enabled && canRequire });
  const newest = skills.data?.[0];
  const steps: (Step & { isOffered?: boolean })[] = [
    {
      label: "Publish a skill",
      isOffered: can("skill", "create"),
      isDone: skills.data && skills.data.length > 0,
      href: "/new",
      command: "svc publish ./my-skill",
    },
    {
      label: "Sign in the command line",
      isDone: tokens.data?.some(({ isLogin }) => isLogin),
      command: commandLine("svc", "login", location.origin),
    },
    {
      label: "Install a skill",
      isDone: installs.data,
      href: "/explore",
      command: newest ? installLine(slug, newest.slug) : "svc install team/skill",
    },
    {
      label: "Invite a colleague",
      isOffered: canInvite,
      isDone: members.data === undefined ? undefined : members.data > 1,
      href: `/${slug}/-/people/invitations`,
    },
    {
      label: "Connect a repository",
      isOffered: canConnect,
      isDone: connected.data,
      href: `/${slug}/-/sync`,
    },
    {
      label: "Require a second factor",
      isOffered: canRequire,
      isDone: requirement.data?.required,
      href: `/${slug}/-/security`,
    },
  ];
  if (!organization) return [{ label: "", isDone: undefined }];
  return steps.filter(({ isOffered }) => isOffered !== false);
}
