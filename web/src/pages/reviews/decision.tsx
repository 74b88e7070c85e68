import { Button, Textarea } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { Check, X } from "lucide-react";
import { useState } from "react";
import { limits } from "../../../../contract/limits.ts";
import { decide, type Review } from "../../api/organization/reviews.ts";
import { ConfirmDialog } from "../../parts/forms/confirm-dialog.tsx";
import { Problem } from "../../parts/states/problem.tsx";
import { useChanged } from "../skill/use-changed.ts";

interface Props {
  skillRef: string;
  review: Review;
}

/** Approval or rejection of a version, or the reason for which the reader can't decide. */
export function Decision({ skillRef: ref, review }: Props) {
  const { version, mayDecide, refusal } = review;
  const [comment, setComment] = useState("");
  const [isRejecting, setRejecting] = useState(false);
  const changed = useChanged(ref);
  const text = comment.trim();
  const approval = useMutation({
    mutationFn: () =>
      decide(ref, version.semver, { decision: "approve", comment: text === "" ? undefined : text }),
    onSuccess: changed,
  });
  if (!version.held) return null;
  if (!mayDecide) return refusal === undefined ? null : <p className="note">{refusal}</p>;
  return (
    <section className="stack gap-3" aria-label="Decision">
      <h2>Your decision</h2>
      <Textarea
        label="Comment"
        description="For the author. A rejection needs one."
        autosize
        minRows={2}
        maxLength={limits.reviewComment}
        value={comment}
        onChange={(event) => setComment(event.currentTarget.value)}
      />
      <Problem error={approval.error} />
      <div className="row">
        {version.held.includes("review") && (
          <Button
            leftSection={<Check size={16} />}
            loading={approval.isPending}
            onClick={() => approval.mutate()}
          >
            Approve
          </Button>
        )}
        <Button
          variant="default"
          color="red"
          leftSection={<X size={16} />}
          disabled={text === ""}
          onClick={() => setRejecting(true)}
        >
          Reject
        </Button>
      </div>
      {isRejecting && (
        <ConfirmDialog
          title={`Reject ${version.semver}`}
          action="Reject"
          isDangerous
          run={async () => {
            await decide(ref, version.semver, { decision: "reject", comment: text });
            await changed();
          }}
          onClose={() => setRejecting(false)}
        >
          <p>A rejection is final: this version can't be installed. The author can publish another one.</p>
        </ConfirmDialog>
      )}
    </section>
  );
}
