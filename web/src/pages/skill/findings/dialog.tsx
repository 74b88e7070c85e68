import "./findings.css";
import { Button, Modal } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { CircleAlert, TriangleAlert } from "lucide-react";
import { findingsQuery, reviewFinding, type Finding } from "../../../api/skills/versions.ts";
import { Loaded } from "../../../parts/states/loaded.tsx";
import { Problem } from "../../../parts/states/problem.tsx";
import { visibleText } from "../../../parts/text/visible-text.ts";
import { useRights, useSkillAddress } from "../context.ts";
import { useChanged } from "../use-changed.ts";
import { fileLink } from "./file-link.ts";

interface Props {
  semver: string;
  onClose: () => void;
}

/** Findings about a version, each with its line. Members mark those that they have reviewed. */
export function FindingsDialog({ semver, onClose }: Props) {
  const { ref } = useSkillAddress();
  const found = useQuery(findingsQuery(ref, semver));
  return (
    <Modal opened onClose={onClose} title={`Findings in ${semver}`} size="lg">
      <Loaded found={found} rows={3}>
        {({ findings }) => (
          <ul className="findings" aria-label="Findings">
            {findings.map((finding) => (
              <li key={finding.id}>
                <Item finding={finding} semver={semver} onClose={onClose} />
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </Modal>
  );
}

function Item({ finding, semver, onClose }: { finding: Finding } & Props) {
  const { org, slug, ref } = useSkillAddress();
  const { canUpdate } = useRights();
  const changed = useChanged(ref);
  const { reviewed, severity } = finding;
  const review = useMutation({
    mutationFn: () => reviewFinding(ref, finding.id, semver, !reviewed),
    onSettled: changed,
  });
  const Icon = severity === "error" ? CircleAlert : TriangleAlert;
  const tone = severity === "error" ? "danger" : "warn";
  return (
    <>
      <Icon size={16} className={reviewed ? "dim" : tone} role="img" aria-label={severity} />
      <div className="grow stack">
        <span className="text">{visibleText(finding.message)}</span>
        <span className="meta">
          <Link className="mono" {...fileLink({ org, slug, version: semver }, finding)} onClick={onClose}>
            {visibleText(finding.path)}
            {finding.line !== undefined && `:${finding.line}`}
          </Link>{" "}
          · rule {finding.rule} · first seen in {finding.firstSeen.semver}
          {reviewed && ` · reviewed${reviewed.by ? ` by ${reviewed.by.username}` : ""}`}
        </span>
        <Problem error={review.error} />
      </div>
      {canUpdate && (
        <Button size="xs" variant="default" loading={review.isPending} onClick={() => review.mutate()}>
          {reviewed ? "Undo review" : "Mark as reviewed"}
        </Button>
      )}
    </>
  );
}
