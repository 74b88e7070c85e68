import { Link } from "@tanstack/react-router";
import {
  CircleAlert,
  GitCompare,
  KeyRound,
  Mail,
  PackageOpen,
  Plug,
  ShieldAlert,
  FolderHeart,
  type LucideIcon,
} from "lucide-react";
import type { AttentionItem } from "../../api/home.ts";
import { Command } from "../../parts/copy/command.tsx";
import { Time } from "../../parts/time.tsx";

const icons: Record<AttentionItem["kind"], { icon: LucideIcon; tone: string }> = {
  sync_problem: { icon: CircleAlert, tone: "danger" },
  sync_conflict: { icon: GitCompare, tone: "warn" },
  skill_finding: { icon: ShieldAlert, tone: "danger" },
  workspace_failed: { icon: FolderHeart, tone: "danger" },
  token_expiring: { icon: KeyRound, tone: "warn" },
  connector_needs_auth: { icon: Plug, tone: "warn" },
  invitation: { icon: Mail, tone: "accent" },
  install_outdated: { icon: PackageOpen, tone: "warn" },
};

/** The page on which an item is dealt with. */
function pageOf({ kind, tenant, id, label }: AttentionItem): string {
  if (kind === "invitation") return `/invitations/${id}`;
  if (kind === "connector_needs_auth") return "/settings/connectors";
  if (kind === "install_outdated") return "/settings/installs";
  if (kind === "token_expiring") return tenant ? `/${tenant.slug}/-/tokens` : "/settings/tokens";
  if (kind === "skill_finding") return `/${tenant?.slug ?? ""}/${label}`;
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
          <p className="body sub">Nothing needs you right now.</p>
        ) : (
          <Lines items={others} />
        )}
      </section>
      {outdated.length > 0 && (
        <section className="panel" aria-labelledby="outdated-heading">
          <header>
            <h2 id="outdated-heading" className="grow">
              Outdated installs
            </h2>
            <Link to="/settings/installs">All installs</Link>
          </header>
          <Lines items={outdated.slice(0, 8)} />
          <footer>
            <Command text="svc pull" />
          </footer>
        </section>
      )}
    </>
  );
}

function Lines({ items }: { items: AttentionItem[] }) {
  return (
    <ul className="lines">
      {items.map((item) => {
        const { icon: Icon, tone } = icons[item.kind];
        const content = (
          <>
            <Icon size={16} className={tone} aria-hidden="true" />
            <span className="grow">
              <bdi>{item.message}</bdi>
            </span>
          </>
        );
        return (
          <li key={`${item.kind}-${item.id}`}>
            {item.kind === "invitation" ? (
              <a className="line" href={pageOf(item)}>
                {content}
              </a>
            ) : (
              <Link className="line" to={pageOf(item)}>
                {content}
              </Link>
            )}
            {item.tenant && <span className="tag hidden-on-phones">{item.tenant.slug}</span>}
            {item.at && <Time value={item.at} className="meta when" />}
          </li>
        );
      })}
    </ul>
  );
}
