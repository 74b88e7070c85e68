import { Button, Checkbox } from "@mantine/core";
import "./several.css";
import { Link } from "@tanstack/react-router";
import { Upload } from "lucide-react";
import { useMemo, useState } from "react";
import { countText } from "../../../../../contract/text/count-text.ts";
import { bytesText } from "../../../../../contract/text/size-text.ts";
import { ButtonLink } from "../../../parts/button-link.tsx";
import { DataTable, type Column } from "../../../parts/lists/data-table.tsx";
import { Page } from "../../../parts/page/page.tsx";
import { SkeletonRows } from "../../../parts/states/skeleton-rows.tsx";
import { PlaceFields, type useNewDetails } from "../new-details.tsx";
import { sizeOfFile } from "../working-set.ts";
import { foldersOf, type DroppedSkills } from "./dropped-skills.ts";
import { useSeveral, type CheckedSkill, type RowState } from "./use-several.ts";

interface Props {
  details: ReturnType<typeof useNewDetails>;
  dropped: DroppedSkills;
  onBack: () => void;
}

/** The skills of a dropped folder, which are published with the same organization, folder and visibility. */
export function SeveralSkills({ details, dropped: { skills, others }, onBack }: Props) {
  const [keepsFolders, setKeepsFolders] = useState(true);
  const folders = useMemo(() => foldersOf(skills), [skills]);
  const isNested = [...folders.values()].some((folder) => folder !== "");
  const { checked, states, isRunning, open, start, cancel } = useSeveral(
    skills,
    details,
    keepsFolders ? folders : undefined,
  );
  const published = skills.filter(({ path }) => states[path]?.kind === "published").length;
  const actions = open.length > 0 && (
    <Button
      size="xs"
      leftSection={<Upload size={14} />}
      loading={isRunning}
      disabled={details.reason !== ""}
      onClick={() => void start()}
    >
      {`Publish ${countOf(open.length)}`}
    </Button>
  );
  return (
    <Page title="Publish skills" crumbs={[{ label: "Publish" }]} actions={actions}>
      <div className="page stack gap-4">
        <div className="stack gap-3">
          <Head count={skills.length} org={details.org} />
          <NextSteps
            isDone={open.length === 0 && published > 0}
            isRunning={isRunning}
            org={details.org}
            back={published > 0 ? "Publish something else" : "Back to the editor"}
            onLeave={isRunning ? cancel : onBack}
          />
        </div>
        <div className="several">
          <div className="stack gap-3">
            {checked ? <Skills skills={checked} states={states} /> : <SkeletonRows rows={skills.length} />}
            <Others paths={others} />
          </div>
          <section className="panel" aria-label="Where they are published">
            <div className="body stack gap-4">
              <PlaceFields details={details} />
              {isNested && (
                <Checkbox
                  label="Keep the folders that they are in"
                  checked={keepsFolders}
                  disabled={isRunning}
                  onChange={({ currentTarget }) => setKeepsFolders(currentTarget.checked)}
                />
              )}
            </div>
          </section>
        </div>
        <p className="visually-hidden" role="status">
          {published > 0 && `${published} of ${skills.length} published`}
        </p>
      </div>
    </Page>
  );
}

const countOf = (count: number) => countText(count, "skill");

function Head({ count, org }: { count: number; org: string }) {
  return (
    <div>
      <h1>{countOf(count)} in the folder</h1>
      <p className="sub">
        Each becomes a skill of its own. One whose name is taken in {org} gets a new version.
      </p>
    </div>
  );
}

interface NextProps {
  isDone: boolean;
  isRunning: boolean;
  org: string;
  /** Label of the button that leaves the page. */
  back: string;
  onLeave: () => void;
}

function NextSteps({ isDone, isRunning, org, back, onLeave }: NextProps) {
  return (
    <div className="row wrap">
      {isDone && (
        <ButtonLink size="xs" to="/$org/-/library/$" params={{ org, _splat: "" }}>
          Open the library
        </ButtonLink>
      )}
      <Button size="xs" variant="default" onClick={onLeave}>
        {isRunning ? "Cancel" : back}
      </Button>
    </div>
  );
}

function Skills({ skills, states }: { skills: readonly CheckedSkill[]; states: Record<string, RowState> }) {
  return (
    <DataTable
      caption="Skills in the dropped folder"
      columns={columnsOf(states)}
      rows={skills}
      keyOf={({ path }) => path}
    />
  );
}

const columnsOf = (states: Record<string, RowState>): Column<CheckedSkill>[] => [
  {
    header: "Skill",
    cell: ({ name, type, path }) => (
      <>
        <span className="row wrap">
          <b>
            <bdi>{name}</bdi>
          </b>
          {type === "rule" && <span className="badge">rule</span>}
        </span>
        <p className="meta mono">
          <bdi>{path}</bdi>
        </p>
      </>
    ),
  },
  { header: "Files", isHiddenOnPhones: true, className: "meta nowrap", cell: filesOf },
  { header: "State", cell: (skill) => <State skill={skill} state={states[skill.path]} /> },
];

function filesOf({ files }: CheckedSkill): string {
  const bytes = files.reduce((sum, file) => sum + sizeOfFile(file, undefined), 0);
  return `${countText(files.length, "file")}, ${bytesText(bytes)}`;
}

const steps = { packing: "Packing", sending: "Sending", checking: "Checking" } as const;

function State({ skill: { error }, state }: { skill: CheckedSkill; state: RowState | undefined }) {
  if (error !== undefined) return <span className="danger">{error}</span>;
  if (!state) return <span className="meta">ready</span>;
  if (state.kind === "waiting") return <span className="meta">waiting</span>;
  if (state.kind === "failed") return <span className="danger">{state.message}</span>;
  if (state.kind === "running") return <span className="meta">{steps[state.progress.step]}</span>;
  const { org, slug, semver, warnings } = state.published;
  return (
    <>
      published as{" "}
      <Link to="/$org/$slug" params={{ org, slug }}>
        {slug} {semver}
      </Link>
      {warnings.map((warning) => (
        <p key={warning} className="meta">
          {warning}
        </p>
      ))}
    </>
  );
}

/** Files outside of the skills' folders that are listed. */
const listed = 20;

function Others({ paths }: { paths: readonly string[] }) {
  if (paths.length === 0) return null;
  const more = paths.length - listed;
  return (
    <details>
      <summary>
        {countText(paths.length, "file belongs", "files belong")} to no skill, and{" "}
        {paths.length === 1 ? "is" : "are"} left out
      </summary>
      <ul className="mono">
        {paths.slice(0, listed).map((path) => (
          <li key={path} className="clip">
            <bdi>{path}</bdi>
          </li>
        ))}
      </ul>
      {more > 0 && `and ${more} more`}
    </details>
  );
}
