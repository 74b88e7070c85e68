import { Link } from "@tanstack/react-router";
import {
  ChevronRight,
  CircleAlert,
  FolderHeart,
  HardDrive,
  GitCompare,
  Hourglass,
  KeyRound,
  Mail,
  PackageOpen,
  Plug,
  ScrollText,
  ShieldAlert,
  Webhook,
  type LucideIcon,
} from "lucide-react";
import type { AttentionItem } from "../../api/home.ts";
import { Command } from "../../parts/copy/command.tsx";
import { Time } from "../../parts/text/time.tsx";

type Kind = AttentionItem["kind"];

interface Shown {
  icon: LucideIcon;
  tone: string;
  /** Label of the link to the page on which the user deals with an item. */
  action: string;
  /** Items of this kind in one organization, in one line. */
  folded: (count: number) => string;
  /** Whether the item's time is its end. */
  ends?: boolean;
}

const kinds: Record<Kind, Shown> = {
  sync_problem: {
    icon: CircleAlert,
    tone: "danger",
    action: "Open sync",
    folded: (count) => `${count} problems of the sync`,
  },
  sync_conflict: {
    icon: GitCompare,
    tone: "warn",
    action: "Compare",
    folded: (count) => `${count} skills had changed on both sides of the sync`,
  },
  review_waiting: {
    icon: Hourglass,
    tone: "warn",
    action: "Review",
    folded: (count) => `${count} versions wait for your review`,
  },
  skill_finding: {
    icon: ShieldAlert,
    tone: "danger",
    action: "Review",
    folded: (count) => `${count} skills have errors to correct or review`,
  },
  storage_limit: {
    icon: HardDrive,
    tone: "warn",
    action: "Open settings",
    folded: (count) => `${count} organizations have used most of their storage`,
  },
  audit_forwarding: {
    icon: ScrollText,
    tone: "danger",
    action: "Open security",
    folded: (count) => `${count} audit logs don't reach their receiver`,
  },
  webhook_disabled: {
    icon: Webhook,
    tone: "danger",
    action: "Open webhooks",
    folded: (count) => `${count} webhooks were disabled`,
  },
  workspace_failed: {
    icon: FolderHeart,
    tone: "danger",
    action: "Open workspaces",
    folded: (count) => `${count} personal workspaces could not be created`,
  },
  token_expiring: {
    icon: KeyRound,
    tone: "warn",
    action: "Replace",
    folded: (count) => `${count} tokens expire soon`,
    ends: true,
  },
  connector_needs_auth: {
    icon: Plug,
    tone: "warn",
    action: "Connect",
    folded: (count) => `${count} connectors wait for you to connect them again`,
  },
  invitation: {
    icon: Mail,
    tone: "accent",
    action: "Open",
    folded: (count) => `${count} invitations`,
    ends: true,
  },
  install_outdated: {
    icon: PackageOpen,
    tone: "warn",
    action: "Open installs",
    folded: (count) => `${count} outdated installs`,
  },
};

/** The page on which an item is dealt with. */
function pageOf({ kind, tenant, id, label }: AttentionItem): string {
  if (kind === "invitation") return `/invitations/${id}`;
  if (kind === "connector_needs_auth") return "/settings/connectors";
  if (kind === "install_outdated") return "/settings/installs";
  if (kind === "token_expiring") return tenant ? `/${tenant.slug}/-/tokens` : "/settings/tokens";
  if (kind === "review_waiting") return `/${tenant?.slug ?? ""}/-/reviews`;
  if (kind === "skill_finding") return `/${tenant?.slug ?? ""}/${label}`;
  if (kind === "storage_limit") return `/${tenant?.slug ?? ""}/-/settings`;
  if (kind === "audit_forwarding") return `/${tenant?.slug ?? ""}/-/security`;
  if (kind === "webhook_disabled") return `/${tenant?.slug ?? ""}/-/webhooks`;
  return `/${tenant?.slug ?? ""}/-/${kind === "workspace_failed" ? "workspaces" : "sync"}`;
}

/** Items that need the user, the most urgent first; outdated installs are a list of their own, with their command. */
export function AttentionList({ items }: { items: AttentionItem[] }) {
  const outdated = items.filter(({ kind }) => kind === "install_outdated");
  const others = items.filter(({ kind }) => kind !== "install_outdated");
  return (
    <>
      <section className="panel" aria-labelledby="attention-heading">
        <header>
          <h2 id="attention-heading" className="grow">
            Needs attention
          </h2>
          {others.length > 0 && <span className="badge warn">{others.length}</span>}
        </header>
        {others.length === 0 ? (
          <p className="body sub">Nothing needs your attention.</p>
        ) : (
          <ul className="lines">
            {foldItems(others).map((group) => (
              <GroupLine key={`${group[0].kind}-${group[0].id}`} group={group} />
            ))}
          </ul>
        )}
      </section>
      {outdated.length > 0 && <Outdated items={outdated} />}
    </>
  );
}

function Outdated({ items }: { items: AttentionItem[] }) {
  return (
    <section className="panel" aria-labelledby="outdated-heading">
      <header>
        <h2 id="outdated-heading" className="grow">
          Outdated installs
        </h2>
        <Link to="/settings/installs">All installs</Link>
      </header>
      <ul className="lines">
        {items.slice(0, 8).map((item) => (
          <li key={item.id}>
            <Line item={item} hasAction={false} />
          </li>
        ))}
      </ul>
      <footer>
        <Command text="svc pull" />
      </footer>
    </section>
  );
}

type Group = [AttentionItem, ...AttentionItem[]];
/** Items of one kind that are lines of their own; more are folded. */
const maxUnfolded = 2;

/** Items of one kind and organization together, in the order of their first. */
function foldItems(items: readonly AttentionItem[]): Group[] {
  const groups = new Map<string, Group>();
  for (const item of items) {
    const key = `${item.kind} ${item.tenant?.id ?? ""}`;
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return [...groups.values()].flatMap((group) =>
    group.length > maxUnfolded ? [group] : group.map((item): Group => [item]),
  );
}

function GroupLine({ group }: { group: Group }) {
  const [first] = group;
  if (group.length === 1)
    return (
      <li>
        <Line item={first} />
      </li>
    );
  const { icon: Icon, tone, folded, ends } = kinds[first.kind];
  const times = group.flatMap(({ at }) => (at === null ? [] : [at])).toSorted();
  const time = ends ? times[0] : times.at(-1);
  return (
    <li className="folded">
      <details>
        <summary>
          <Icon size={16} className={tone} aria-hidden="true" />
          <span className="grow">{folded(group.length)}</span>
          {first.tenant && <span className="tag hidden-on-phones">{first.tenant.slug}</span>}
          {time !== undefined && <When value={time} ends={ends} />}
          <ChevronRight size={16} className="chevron" aria-hidden="true" />
        </summary>
        <ul className="lines">
          {group.map((item) => (
            <li key={item.id}>
              <Line item={item} />
            </li>
          ))}
        </ul>
      </details>
    </li>
  );
}

function When({ value, ends = false }: { value: string; ends?: boolean }) {
  return (
    <span className="meta when">
      {ends && "ends "}
      <Time value={value} />
    </span>
  );
}

function Line({ item, hasAction = true }: { item: AttentionItem; hasAction?: boolean }) {
  const { icon: Icon, tone, action, ends } = kinds[item.kind];
  const page = pageOf(item);
  const name = `${action}: ${item.message}`;
  return (
    <>
      <Icon size={16} className={tone} aria-hidden="true" />
      <span className="grow">
        <bdi>{item.message}</bdi>
      </span>
      {item.tenant && <span className="tag hidden-on-phones">{item.tenant.slug}</span>}
      {item.at && <When value={item.at} ends={ends} />}
      {hasAction &&
        (item.kind === "invitation" ? (
          <a className="whole action" href={page} aria-label={name}>
            {action}
          </a>
        ) : (
          <Link className="whole action" to={page} aria-label={name}>
            {action}
          </Link>
        ))}
    </>
  );
}
