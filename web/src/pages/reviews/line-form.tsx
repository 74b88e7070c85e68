import { Button, Textarea } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { createContext, useContext } from "react";
import { limits } from "../../../../contract/limits.ts";
import { addComment, type Review } from "../../api/organization/reviews.ts";
import { Problem } from "../../parts/states/problem.tsx";
import { visibleText } from "../../parts/text/visible-text.ts";
import { useChanged } from "../skill/use-changed.ts";

interface Props {
  skillRef: string;
  review: Review;
  path: string;
  line: number;
  onClose: () => void;
}

/** The text so far: kept outside of the form, which leaves the page when the changes are scrolled. */
export const DraftText = createContext<[text: string, set: (text: string) => void]>(["", () => {}]);

const focus = (field: HTMLElement | null) => field?.focus({ preventScroll: true });

/** A comment on a line that is being written. */
export function LineForm({ skillRef: ref, review, path, line, onClose }: Props) {
  const [text, setText] = useContext(DraftText);
  const changed = useChanged(ref);
  const adding = useMutation({
    mutationFn: () => addComment(ref, review.version.semver, { path, line, text: text.trim() }),
    async onSuccess() {
      await changed();
      onClose();
    },
  });
  return (
    <form
      className="stack gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim() !== "") adding.mutate();
      }}
    >
      <Textarea
        aria-label={`Comment on line ${line} of ${visibleText(path)}`}
        autosize
        minRows={2}
        ref={focus}
        required
        maxLength={limits.reviewComment}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <Problem error={adding.error} />
      <div className="row">
        <Button type="submit" size="xs" variant="default" loading={adding.isPending}>
          Comment
        </Button>
        <Button size="xs" variant="subtle" onClick={onClose}>
          Cancel
        </Button>
      </div>
    </form>
  );
}
