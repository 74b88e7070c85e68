import { Button, NumberInput, Select, Textarea } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Check, MessageSquare, ShieldAlert, X } from "lucide-react";
import { useState } from "react";
import { limits } from "../../../../contract/limits.ts";
import { addComment, reviewDiffQuery, type Review } from "../../api/organization/reviews.ts";
import { Problem } from "../../parts/states/problem.tsx";
import { Time } from "../../parts/text/time.tsx";
import { visibleText } from "../../parts/text/visible-text.ts";
import { useChanged } from "../skill/use-changed.ts";

type Entry = Review["entries"][number];

const kinds = {
  approved: { Icon: Check, text: "approved it" },
  rejected: { Icon: X, text: "rejected it" },
  overridden: { Icon: ShieldAlert, text: "released it despite its scan" },
  comment: { Icon: MessageSquare, text: "commented" },
} as const;

/** Decisions and comments, and a form for another comment. */
export function Entries({ skillRef: ref, review }: { skillRef: string; review: Review }) {
  return (
    <section className="stack gap-3" aria-labelledby="entries-heading">
      <h2 id="entries-heading">Comments and decisions</h2>
      {review.entries.length > 0 && (
        <ul className="panel lines">
          {review.entries.map((entry) => (
            <EntryLine key={entry.id} entry={entry} />
          ))}
        </ul>
      )}
      <CommentForm skillRef={ref} review={review} />
    </section>
  );
}

function EntryLine({ entry }: { entry: Entry }) {
  const { Icon } = kinds[entry.kind];
  return (
    <li className="waiting">
      <Icon size={16} className="icon" aria-hidden="true" />
      <EntryText entry={entry} />
    </li>
  );
}

/** Who did what and when, and what they said. */
export function EntryText({ entry: { kind, by, text, path, line, at } }: { entry: Omit<Entry, "id"> }) {
  return (
    <div className="grow clip">
      <div className="meta">
        <b>{by.username}</b> {kinds[kind].text}
        {path !== undefined && (
          <>
            {" "}
            on{" "}
            <span className="mono">
              {visibleText(path)}
              {line !== undefined && `:${line}`}
            </span>
          </>
        )}{" "}
        <Time value={at} />
      </div>
      {text !== undefined && <p className="said">{visibleText(text)}</p>}
    </div>
  );
}

function CommentForm({ skillRef: ref, review }: { skillRef: string; review: Review }) {
  const { version } = review;
  const { data: diff } = useQuery(reviewDiffQuery(ref, review));
  const [text, setText] = useState("");
  const [path, setPath] = useState<string | null>(null);
  const [line, setLine] = useState<number>();
  const changed = useChanged(ref);
  const adding = useMutation({
    mutationFn: () =>
      addComment(ref, version.semver, {
        text: text.trim(),
        path: path ?? undefined,
        line: path === null ? undefined : line,
      }),
    async onSuccess() {
      setText("");
      setLine(undefined);
      await changed();
    },
  });
  return (
    <form
      className="stack gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        adding.mutate();
      }}
    >
      <Textarea
        label="New comment"
        autosize
        minRows={2}
        maxLength={limits.reviewComment}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <div className="row wrap">
        <Select
          aria-label="File"
          placeholder="The whole version"
          clearable
          searchable
          data={(diff?.files ?? []).map((file) => file.path)}
          value={path}
          onChange={setPath}
        />
        {path !== null && (
          <NumberInput
            aria-label="Line"
            placeholder="Line"
            min={1}
            w={90}
            value={line ?? ""}
            onChange={(value) => setLine(typeof value === "number" ? value : undefined)}
          />
        )}
        <Button type="submit" variant="default" loading={adding.isPending} disabled={text.trim() === ""}>
          Comment
        </Button>
      </div>
      <Problem error={adding.error} />
    </form>
  );
}
