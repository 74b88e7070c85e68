import { Button, Textarea } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { ShieldAlert } from "lucide-react";
import { useState } from "react";
import { limits } from "../../../../contract/limits.ts";
import { decide, type Review } from "../../api/organization/reviews.ts";
import { refOf } from "../../api/skills/skills.ts";
import { Problem } from "../../parts/states/problem.tsx";
import { ScanReport } from "../skill/scan/report.tsx";
import { useChanged } from "../skill/use-changed.ts";

/** The findings of a version's scan and, if the version is held for them, its release. */
export function ScanOfVersion({ org, review: { skill, version } }: { org: string; review: Review }) {
  const { slug } = skill;
  const { semver } = version;
  return (
    <section className="stack gap-3" aria-labelledby="scan-heading">
      <h2 id="scan-heading">Scan</h2>
      <ScanReport {...{ org, slug, semver }} />
      {version.held?.includes("scan") && skill.can?.includes("review") && (
        <Override skillRef={refOf({ org, slug })} semver={semver} />
      )}
    </section>
  );
}

function Override({ skillRef: ref, semver }: { skillRef: string; semver: string }) {
  const [reason, setReason] = useState("");
  const changed = useChanged(ref);
  const override = useMutation({
    mutationFn: () => decide(ref, semver, { decision: "override", comment: reason.trim() }),
    onSuccess: changed,
  });
  return (
    <form
      className="stack gap-3"
      aria-label="Release despite its scan"
      onSubmit={(event) => {
        event.preventDefault();
        override.mutate();
      }}
    >
      <Textarea
        label="Reason"
        description="Why the version is released despite its scan. The reason is recorded in the audit log."
        autosize
        minRows={2}
        maxLength={limits.reviewComment}
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
      <Problem error={override.error} />
      <Button
        type="submit"
        variant="default"
        w="fit-content"
        leftSection={<ShieldAlert size={16} />}
        loading={override.isPending}
        disabled={reason.trim() === ""}
      >
        Release despite its scan
      </Button>
    </form>
  );
}
