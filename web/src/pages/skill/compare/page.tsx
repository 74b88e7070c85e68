import "./compare.css";
import { Button } from "@mantine/core";
import { useSuspenseQuery } from "@tanstack/react-query";
import { createFileRoute, notFound, type LinkProps } from "@tanstack/react-router";
import { Download, RotateCcw } from "lucide-react";
import { useState } from "react";
import { refOf, skillQuery, type Skill } from "../../../api/skills/skills.ts";
import { diffQuery, readPatch } from "../../../api/skills/versions.ts";
import { Page } from "../../../parts/page/page.tsx";
import { Segments } from "../../../parts/page/segments.tsx";
import { useRights, useSkillAddress } from "../context.ts";
import { RevertDialog } from "../versions/version-dialogs.tsx";
import { Comparison } from "./comparison.tsx";
import { mainFileQuery } from "./main-file.ts";

const endsOf = (range: string): [from: string, to: string] | undefined => {
  const [from, to, rest] = range.split("...");
  return from && to && rest === undefined ? [from, to] : undefined;
};

export const Route = createFileRoute("/$org/$slug/compare/$range")({
  validateSearch: (raw: Record<string, unknown>): { view?: "split" } =>
    raw["view"] === "split" ? { view: "split" } : {},
  loader: async ({ context: { client }, params }) => {
    const ends = endsOf(params.range);
    if (!ends) throw notFound();
    const ref = refOf(params);
    const readTexts = async () => {
      const skill = await client.ensureQueryData(skillQuery(ref));
      // The comparison below them would move. It does without those that can't be read.
      await Promise.allSettled(ends.map((end) => client.ensureQueryData(mainFileQuery(ref, skill, end))));
    };
    await Promise.all([readTexts(), client.ensureQueryData(diffQuery(ref, ...ends))]);
  },
  component: Compare,
});

function Compare() {
  const { org, slug, range } = Route.useParams();
  const { ref } = useSkillAddress();
  const [from, to] = endsOf(range)!;
  const { data: skill } = useSuspenseQuery(skillQuery(ref));
  const { data: diff } = useSuspenseQuery(diffQuery(ref, from, to));
  const { view } = Route.useSearch();
  const at = (address: string) => ({ to: address as LinkProps["to"] });
  return (
    <Page
      title={`${from} to ${to} · ${org}/${slug}`}
      crumbs={[
        { label: org, link: at(`/${org}`) },
        { label: slug, link: at(`/${org}/${slug}`) },
        { label: "Versions", link: at(`/${org}/${slug}/versions`) },
        { label: "Compare" },
      ]}
      actions={<Actions skill={skill} from={from} to={to} />}
    >
      <Comparison
        key={`${from} ${to}`}
        skill={skill}
        diff={diff}
        from={from}
        to={to}
        isSplit={view === "split"}
      />
    </Page>
  );
}

function Actions({ skill, from, to }: { skill: Skill; from: string; to: string }) {
  const navigate = Route.useNavigate();
  const { view } = Route.useSearch();
  const { canUpdate } = useRights();
  const [isReverting, setReverting] = useState(false);
  const canRevert = canUpdate && to === skill.currentSemver && !from.includes("-");
  return (
    <>
      <Segments
        label="View"
        data={[
          { value: "unified", label: "Unified" },
          { value: "split", label: "Split" },
        ]}
        value={view ?? "unified"}
        onChange={(value) =>
          void navigate({ search: value === "split" ? { view: "split" } : {}, replace: true })
        }
      />
      <PatchButton from={from} to={to} />
      {canRevert && (
        <Button
          className="hidden-on-phones"
          size="xs"
          variant="default"
          leftSection={<RotateCcw size={14} />}
          onClick={() => setReverting(true)}
        >
          Revert to {from}
        </Button>
      )}
      {isReverting && <RevertDialog semver={from} onClose={() => setReverting(false)} />}
    </>
  );
}

function PatchButton({ from, to }: { from: string; to: string }) {
  const { ref, slug } = useSkillAddress();
  const [problem, setProblem] = useState("");
  const download = async () => {
    setProblem("");
    const url = URL.createObjectURL(await readPatch(ref, from, to));
    const link = document.createElement("a");
    link.href = url;
    link.download = `${slug}-${from}-${to}.diff`;
    link.click();
    URL.revokeObjectURL(url);
  };
  return (
    <span className="hidden-on-phones row">
      <Button
        size="xs"
        variant="default"
        leftSection={<Download size={14} />}
        onClick={() => void download().catch(({ message }: Error) => setProblem(message))}
      >
        .diff
      </Button>
      {problem !== "" && (
        <span className="danger clip" role="alert">
          {problem}
        </span>
      )}
    </span>
  );
}
