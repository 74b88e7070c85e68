import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { Schemas } from "../../../api/client.ts";
import { query } from "../../../api/query.ts";
import { Failed } from "../../../parts/failed.tsx";
import { Note } from "../drafts/draft-choice.tsx";
import { ChangeRows } from "./change-rows.tsx";
import type { Row } from "./compare-texts.ts";

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
  if (diff.isError) return <Failed error={diff.error} reset={() => void diff.refetch()} />;
  return diff.data ? <ChangeRows rows={rowsOf(diff.data)} label="Their changes" /> : null;
}

function rowsOf(diff: Schemas["Diff"]): Row[] {
  return diff.files.flatMap(({ path, status, binary, truncated, hunks }): Row[] => {
    const note = binary ? "not a text" : truncated ? "too different to compare" : status;
    return [
      { kind: "file", text: path, note },
      ...hunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines }): Row[] => {
        let [old, now] = [oldStart, newStart];
        return [
          { kind: "hunk", text: `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@` },
          ...lines.map((line): Row => {
            const text = line.slice(1);
            if (line.startsWith("-")) return { kind: "del", text, line: old++ };
            if (line.startsWith("+")) return { kind: "add", text, line: now++ };
            old++;
            return { kind: "same", text, line: now++ };
          }),
        ];
      }),
    ];
  });
}
