import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { ChevronRight, Circle, CircleCheck, X } from "lucide-react";
import { useState, type ReactNode } from "react";
import { ownTokensQuery } from "../../api/account/account.ts";
import { may, organizationQuery, type Identity } from "../../api/account/session.ts";
import {
  hasColleaguesQuery,
  hasInvitedQuery,
  isConnectedQuery,
  latestSkillsQuery,
  ownInstallQuery,
  serviceQuery,
} from "../../api/home.ts";
import { requirementQuery } from "../../api/organization/requirement.ts";
import { Command } from "../../parts/copy/command.tsx";
import { commandLine, installLine } from "../../parts/copy/shell.ts";
import { SkeletonRows } from "../../parts/states/skeleton-rows.tsx";

const storageKey = "svc-onboarding";

interface Step {
  label: string;
  /** Why, in one sentence. */
  about: string;
  /** Undefined while the answer is unknown. */
  isDone: boolean | undefined;
  /** The page that does it. */
  page?: { href: string; label: string };
  command?: string;
}

/**
 * First steps in the first organization, in an order in which each works, checked off from what the API returns. The
 * next one is open, and what is done is one line; the section ends with the last step, or dismissed. The rest of the
 * page comes with it, so that it does not move.
 */
export function Onboarding({ identity, children }: { identity: Identity; children: ReactNode }) {
  const [isDismissed, setDismissed] = useState(() => localStorage.getItem(storageKey) === identity.id);
  const { steps, isLoading } = useSteps(identity, !isDismissed);
  const isKnown = steps.every(({ isDone }) => isDone !== undefined);
  const open = steps.filter(({ isDone }) => !isDone);
  if (isLoading) return <SkeletonRows />;
  if (isDismissed || !isKnown || open.length === 0) return children;
  const done = steps.filter(({ isDone }) => isDone);
  const dismiss = () => {
    localStorage.setItem(storageKey, identity.id);
    setDismissed(true);
  };
  return (
    <>
      <section className="panel" aria-labelledby="onboarding-heading">
        <header>
          <h2 id="onboarding-heading" className="grow">
            First steps
          </h2>
          <span className="meta">
            {done.length} of {steps.length}
          </span>
          <Button size="compact-xs" variant="default" leftSection={<X size={12} />} onClick={dismiss}>
            Dismiss
          </Button>
        </header>
        {done.length > 0 && (
          <p className="done">
            <CircleCheck size={16} className="ok" aria-hidden="true" />
            <span>Done: {done.map(({ label }) => label).join(", ")}</span>
          </p>
        )}
        <div className="steps">
          {open.map((step, index) => (
            <details key={step.label} name="first-steps" open={index === 0}>
              <summary>
                <Circle size={16} aria-hidden="true" />
                <span className="grow">{step.label}</span>
                <ChevronRight size={16} className="chevron" aria-hidden="true" />
              </summary>
              <StepBody step={step} />
            </details>
          ))}
        </div>
      </section>
      {children}
    </>
  );
}

function StepBody({ step: { about, page, command } }: { step: Step }) {
  return (
    <div className="step stack gap-3">
      <p className="sub">{about}</p>
      {command !== undefined && <Command text={command} />}
      {page && (
        <div>
          <Button component="a" size="xs" variant="default" href={page.href}>
            {page.label}
          </Button>
        </div>
      )}
    </div>
  );
}

/** Only steps that the user's permissions allow. */
function useSteps(identity: Identity, enabled: boolean): { steps: Step[]; isLoading: boolean } {
  const { slug = "", tenantId = "" } = identity.memberships[0] ?? {};
  const found = useQuery({ ...organizationQuery(slug), enabled });
  const organization = found.data;
  const can = (group: string, action: string) =>
    organization !== undefined && may(organization.permissions, group, action);
  const [canInvite, canConnect] = [can("member", "invite"), can("githubSync", "manage")];
  const skills = useQuery({ ...latestSkillsQuery(tenantId), enabled });
  const tokens = useQuery({ ...ownTokensQuery, enabled });
  const installs = useQuery({ ...ownInstallQuery, enabled });
  const colleagues = useQuery({ ...hasColleaguesQuery(slug), enabled: enabled && canInvite });
  const invited = useQuery({ ...hasInvitedQuery(slug), enabled: enabled && canInvite });
  const connected = useQuery({ ...isConnectedQuery(slug), enabled: enabled && canConnect });
  const canRequire = can("security", "manage");
  const requirement = useQuery({ ...requirementQuery(slug), enabled: enabled && canRequire });
  const { data: service } = useQuery({ ...serviceQuery, enabled });
  const newest = skills.data?.[0];
  const address = service?.baseUrl ?? location.origin;
  const hasLogin = tokens.data?.some(({ isLogin }) => isLogin);
  const steps: (Step & { isOffered?: boolean })[] = [
    {
      label: "Install svc",
      about: "The command line installs skills into your AI coding tools. It needs Node 20.19 or later.",
      isDone: hasLogin,
      command: `${commandLine("curl", "-fsSL", `${address}/cli/install.sh`)} | sh`,
    },
    {
      label: "Log in",
      about: "Opens this page once more, where you confirm the device.",
      isDone: hasLogin,
      command: commandLine("svc", "login", address),
    },
    {
      label: "Publish a skill",
      about: "A folder with a SKILL.md from the command line, or a text that you write here.",
      isOffered: can("skill", "create"),
      isDone: skills.data && skills.data.length > 0,
      page: { href: "/new", label: "Write a skill" },
      command: "svc publish ./my-skill",
    },
    {
      label: "Install a skill",
      about: "Into every tool that svc finds on your machine, in that tool's own format.",
      isDone: installs.data,
      page: { href: "/explore", label: "Find a skill" },
      command: newest ? installLine(slug, newest.slug) : "svc install team/skill",
    },
    {
      label: "Invite a colleague",
      about: "Members see the skills of the organization, and publish if their role allows it.",
      isOffered: canInvite,
      isDone: colleagues.data === true || invited.data,
      page: { href: `/${slug}/-/people/invitations`, label: "Invite" },
    },
    {
      label: "Connect a repository",
      about: "Every skill is also a folder in a repository of yours, in both directions.",
      isOffered: canConnect,
      isDone: connected.data,
      page: { href: `/${slug}/-/sync`, label: "Connect" },
    },
    {
      label: "Require a second factor",
      about: "From all members, with days of grace for those who have none.",
      isOffered: canRequire,
      isDone: requirement.data?.required,
      page: { href: `/${slug}/-/security`, label: "Open security" },
    },
  ];
  const read = [found, skills, tokens, installs, colleagues, invited, connected, requirement];
  return {
    steps: organization ? steps.filter(({ isOffered }) => isOffered !== false) : [],
    isLoading: read.some((one) => one.isLoading),
  };
}
