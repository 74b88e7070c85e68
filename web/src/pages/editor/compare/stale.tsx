import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { query } from "../../../api/query.ts";
import type { Diff } from "../../../api/skills/versions.ts";
import { Failed } from "../../../parts/states/failed.tsx";
import { Note } from "../drafts/draft-choice.tsx";
import { ChangeRows } from "./change-rows.tsx";
import type { ChangedFile } from "./changed-file.ts";

export interface Newer {
  version: number;
  semver: string;
}

interface Props {
  newer: Newer;
  isComparing: boolean;
  isBusy: boolean;
  onCompare: () => void;
  onContinue: () => void;
}

/** Another version became current while this one was edited. */
export function StaleNote({ newer, isComparing, isBusy, onCompare, onContinue }: Props) {
  return (
    <Note tone="warn" role="alert">
      <span className="grow">
        Version {newer.semver} was published since you began. Your text is kept; base it on {newer.semver} to
        publish.
      </span>
      {!isComparing && (
        <Button size="xs" variant="default" onClick={onCompare}>
          Compare
        </Button>
      )}
      <Button size="xs" loading={isBusy} onClick={onContinue}>
        Continue on {newer.semver}
      </Button>
    </Note>
  );
}

/** The differences between two published versions. */
export function TheirChanges({ skill, from, to }: { skill: string; from: number; to: number }) {
  const diff = useQuery({
    ...query("/api/skills/{skill}/diff", { skill, from: String(from), to: String(to) }),
    staleTime: Infinity,
  });
  const files = useMemo(() => diff.data && changedFiles(diff.data), [diff.data]);
  if (diff.isError) return <Failed error={diff.error} reset={() => void diff.refetch()} />;
  return files ? <ChangeRows files={files} label="Their changes" /> : null;
}

const changedFiles = ({ files }: Diff): ChangedFile[] =>
  files.map(({ path, status, binary, truncated, hunks }) => ({
    path,
    note: binary ? "not text" : truncated ? "too different to compare" : status,
    hunks,
  }));
