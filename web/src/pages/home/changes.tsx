import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import {
  ArchiveX,
  BellRing,
  Flag,
  GitCompare,
  ListChecks,
  PackagePlus,
  ShieldAlert,
  Sparkles,
  TriangleAlert,
  Undo2,
  type LucideIcon,
} from "lucide-react";
import type { ReactNode } from "react";
import { followedSentence } from "../../../../contract/events/following.ts";
import { followedChangesQuery, type FollowedChange } from "../../api/following.ts";
import { itemsOf } from "../../parts/lists/found.ts";
import { ListSection } from "../../parts/lists/list-section.tsx";
import { Time } from "../../parts/text/time.tsx";
import { visibleText } from "../../parts/text/visible-text.ts";

const icons: Record<FollowedChange["kind"], { icon: LucideIcon; tone: string }> = {
  created: { icon: PackagePlus, tone: "ok" },
  version: { icon: Sparkles, tone: "accent" },
  reverted: { icon: Undo2, tone: "warn" },
  deprecated: { icon: TriangleAlert, tone: "warn" },
  yanked: { icon: ArchiveX, tone: "danger" },
  discontinued: { icon: TriangleAlert, tone: "warn" },
  withdrawn: { icon: ArchiveX, tone: "danger" },
  finding: { icon: ShieldAlert, tone: "danger" },
  flagged: { icon: ShieldAlert, tone: "danger" },
  review: { icon: ListChecks, tone: "accent" },
  reported: { icon: Flag, tone: "danger" },
  conflict: { icon: GitCompare, tone: "warn" },
  reminder: { icon: BellRing, tone: "accent" },
};

const reasons: Record<FollowedChange["reason"], string | undefined> = {
  followed: undefined,
  team: "your team's",
  reviewer: "for your review",
  own: "yours",
  installed: "installed",
};

/** Changes of the skills that the user follows, has created or uses; `fallback` if there are none. */
export function Changes({ fallback }: { fallback: ReactNode }) {
  const found = useInfiniteQuery(followedChangesQuery);
  if (found.data && itemsOf(found).length === 0) return fallback;
  return (
    <ListSection
      title="What changed"
      aside={<Link to="/settings/notifications">Following and mails</Link>}
      inPanel
      found={found}
      rows={5}
      rowHeight={52}
      more="Show earlier changes"
    >
      {(changes) => (
        <ul className="lines">
          {foldChanges(changes).map((group) => (
            <ChangeLine key={group[0].id} group={group} />
          ))}
        </ul>
      )}
    </ListSection>
  );
}

type Group = [FollowedChange, ...FollowedChange[]];

/** Consecutive versions of one skill are one line. */
function foldChanges(changes: readonly FollowedChange[]): Group[] {
  const groups: Group[] = [];
  for (const change of changes) {
    const last = groups.at(-1);
    const isSame =
      last?.[0].kind === change.kind && change.kind === "version" && last[0].skill.id === change.skill.id;
    if (isSame) last.push(change);
    else groups.push([change]);
  }
  return groups;
}

function ChangeLine({ group }: { group: Group }) {
  const [latest, ...earlier] = group;
  const { icon: Icon, tone } = icons[latest.kind];
  const { tenantSlug, slug } = latest.skill;
  const reason = reasons[latest.reason];
  const address: string = `/${tenantSlug}/${slug}`;
  const sentence =
    earlier.length === 0
      ? followedSentence(latest.kind, latest)
      : `has ${group.length} new versions, the latest is ${latest.semver}`;
  return (
    <li>
      <Icon size={16} className={tone} aria-hidden="true" />
      <div className="grow change">
        <span>
          <Link to={address} className="whole">
            <span className="dim">{tenantSlug}/</span>
            <b>{slug}</b>
          </Link>{" "}
          {sentence}
        </span>
        <span className="meta clip">
          {visibleText(latest.by)}
          {latest.message !== undefined && <> · {visibleText(latest.message)}</>}
        </span>
      </div>
      {reason && <span className="tag hidden-on-phones">{reason}</span>}
      <Time value={latest.at} className="meta when" />
    </li>
  );
}
