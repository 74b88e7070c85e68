import type { ReactNode } from "react";
import { countText } from "../../../../contract/text/count-text.ts";
import type { DirectoryChanges, SyncPlan } from "../../api/organization/sync.ts";
import { PlanChanges } from "./plan-changes.tsx";

interface Entry {
  path: string;
  note?: string;
  changes?: DirectoryChanges;
}

interface Kind {
  title: string;
  /** All of them; `entries` has the first. */
  count: number;
  tone: string;
  entries: Entry[];
}

function kindsOf(plan: SyncPlan): Kind[] {
  const changes = new Map(plan.changes.map((one) => [`${one.target} ${one.path}`, one]));
  const withChanges =
    (target: DirectoryChanges["target"]) =>
    ({ path }: { path: string }): Entry => ({ path, changes: changes.get(`${target} ${path}`) });
  const conflicts = plan.update.filter(({ conflict }) => conflict);
  return [
    {
      title: "written to the repository",
      count: plan.writes,
      tone: "",
      entries: plan.write.map(withChanges("repository")),
    },
    {
      title: "removed from the repository",
      count: plan.removes,
      tone: "warn",
      entries: plan.remove.map((path) => ({ path })),
    },
    { title: "new private skills here", count: plan.creates, tone: "ok", entries: plan.create },
    {
      title: "new versions here",
      count: plan.updates,
      tone: "ok",
      entries: plan.update.map(withChanges("service")),
    },
    {
      title: "changed on both sides",
      count: conflicts.length,
      tone: "warn",
      entries: conflicts.map(({ path }) => ({ path, note: "the repository's content becomes current" })),
    },
    {
      title: "found outside skills/: not synced. Publish them with svc publish, or move them into skills/",
      count: plan.elsewheres,
      tone: "",
      entries: plan.elsewhere,
    },
    {
      title: "no part of a skill: they stay in the repository only",
      count: plan.leftOuts,
      tone: "",
      entries: plan.leftOut.map(({ path }) => ({ path })),
    },
    {
      title: "not synced",
      count: plan.problems.length,
      tone: "danger",
      entries: plan.problems.map(({ path, message }) => ({ path, note: message })),
    },
  ];
}

/** The plan of a connection, by kind of change, each with its paths. */
export function PlanView({ plan, children }: { plan: SyncPlan; children?: ReactNode }) {
  const shown = kindsOf(plan).filter(({ count }) => count > 0);
  return (
    <section className="panel" aria-labelledby="sync-plan">
      <header>
        <h2 id="sync-plan" className="grow">
          Plan
        </h2>
        <span className="meta mono">
          {plan.repository} · {plan.branch}
        </span>
      </header>
      {plan.branchState === "empty" && (
        <p className="sync-base meta">The repository is empty: the first push creates the branch.</p>
      )}
      {shown.length === 0 && <p className="sync-base meta">Both sides are equal: nothing would change.</p>}
      {shown.map((kind) => (
        <KindView key={kind.title} kind={kind} />
      ))}
      <footer>
        <div className="row between wrap">
          <span className="meta">The repository will contain {countText(plan.skills, "skill")}.</span>
          {children}
        </div>
      </footer>
    </section>
  );
}

function KindView({ kind: { title, count, tone, entries } }: { kind: Kind }) {
  return (
    <details className="sync-plan-kind" open={entries.length <= 8}>
      <summary>
        <span className={`badge ${tone}`}>{count}</span> {title}
      </summary>
      <ul>
        {entries.map(({ path, note, changes }) => (
          <li key={path}>
            {changes ? (
              <details>
                <summary>
                  <code className="mono">{path}</code>{" "}
                  <span className="meta">{countText(changes.files.length, "file")}</span>
                </summary>
                <PlanChanges changes={changes} />
              </details>
            ) : (
              <code className="mono">{path}</code>
            )}
            {note !== undefined && <span className="meta"> {note}</span>}
          </li>
        ))}
      </ul>
      {count > entries.length && <p className="meta">And {count - entries.length} more.</p>}
    </details>
  );
}
