import { createFileRoute, redirect } from "@tanstack/react-router";
import { refOf, skillQuery, versionsQuery } from "../../../api/skills/skills.ts";
import { Empty } from "../../../parts/states/empty.tsx";
import { TabProblem } from "../tab-failed.tsx";

export const Route = createFileRoute("/$org/$slug/compare")({
  loaderDeps: ({ search }) => ({ version: search.version }),
  // The shown version with the one before it.
  loader: async ({ context: { client }, params, deps }) => {
    const ref = refOf(params);
    const [skill, found] = await Promise.all([
      client.ensureQueryData(skillQuery(ref)),
      client.ensureInfiniteQueryData(versionsQuery(ref)),
    ]);
    const versions = found.pages.flatMap((page) => page.data);
    const shown = deps.version ?? skill.currentSemver;
    const at = versions.findIndex(({ semver, version }) => semver === shown || String(version) === shown);
    const to = versions[at];
    const from =
      versions.slice(at + 1).find((one) => !one.prerelease) ??
      versions[at + 1] ??
      versions.find((one) => one !== to);
    if (!to || !from) return;
    const range = `${from.semver}...${to.semver}`;
    throw redirect({ to: "/$org/$slug/compare/$range", params: { ...params, range }, replace: true });
  },
  errorComponent: TabProblem,
  component: () => (
    <Empty title="Nothing to compare yet">
      <p className="sub">This skill has one version. Publish another one to compare the two.</p>
    </Empty>
  ),
});
