import { useSuspenseQuery } from "@tanstack/react-query";
import { createFileRoute } from "@tanstack/react-router";
import { manifestQuery, refOf, type Manifest } from "../../../api/skills/skills.ts";
import { useSkillAddress } from "../context.ts";
import { TabProblem } from "../tab-failed.tsx";
import { Rail } from "./rail.tsx";
import { SkillText } from "./skill-text.tsx";
import { Uses } from "./uses.tsx";

export const Route = createFileRoute("/$org/$slug/")({
  loaderDeps: ({ search }) => ({ version: search.version }),
  loader: async ({ context, params, deps }) => {
    void context.client.prefetchQuery(manifestQuery(refOf(params), deps.version));
  },
  errorComponent: TabProblem,
  component: Readme,
});

/** The file that agents read first. */
const mainFileOf = ({ files }: Manifest) =>
  files.find(({ path }) => path === "SKILL.md" || path === "RULE.md") ??
  files.find(({ path }) => /^readme\.md$/i.test(path));

function Readme() {
  const { ref, version } = useSkillAddress();
  const { data: manifest } = useSuspenseQuery(manifestQuery(ref, version));
  const file = mainFileOf(manifest);
  return (
    <div className="two-columns">
      {file ? (
        <div className="stack gap-4">
          <Uses manifest={manifest} file={file} />
          <SkillText key={manifest.hash} manifest={manifest} file={file} />
        </div>
      ) : (
        <section className="panel">
          <p className="body sub">This version has no SKILL.md.</p>
        </section>
      )}
      <Rail manifest={manifest} />
    </div>
  );
}
