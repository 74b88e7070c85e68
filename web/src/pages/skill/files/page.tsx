import "./files.css";
import { useSuspenseQuery } from "@tanstack/react-query";
import { createFileRoute } from "@tanstack/react-router";
import { manifestQuery, refOf } from "../../../api/skills/skills.ts";
import { visibleText } from "../../../parts/text/visible-text.ts";
import { useSkillAddress } from "../context.ts";
import { TabProblem } from "../tab-failed.tsx";
import { FileTree } from "./file-tree.tsx";
import { Viewer } from "./viewer.tsx";

export const Route = createFileRoute("/$org/$slug/files/$")({
  loaderDeps: ({ search }) => ({ version: search.version }),
  loader: async ({ context, params, deps }) => {
    void context.client.prefetchQuery(manifestQuery(refOf(params), deps.version));
  },
  errorComponent: TabProblem,
  component: Files,
});

function Files() {
  const { _splat: path = "" } = Route.useParams();
  const { ref, version } = useSkillAddress();
  const { data: manifest } = useSuspenseQuery(manifestQuery(ref, version));
  const file =
    path === ""
      ? (manifest.files.find((one) => /^(SKILL|RULE)\.md$/.test(one.path)) ?? manifest.files[0])
      : manifest.files.find((one) => one.path === path);
  return (
    <div className="file-columns">
      <FileTree manifest={manifest} chosen={file?.path} />
      {file ? (
        <Viewer key={`${manifest.semver} ${file.path}`} manifest={manifest} file={file} />
      ) : (
        <section className="panel" role="alert">
          <div className="body stack">
            <h2>No such file</h2>
            <p className="sub">
              Version {manifest.semver} has no file {visibleText(path)}. Choose one of its files.
            </p>
          </div>
        </section>
      )}
    </div>
  );
}
