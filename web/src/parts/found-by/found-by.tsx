import "./found-by.css";
import { Button, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState, type SubmitEvent } from "react";
import { limits } from "../../../../contract/limits.ts";
import { foundByQuery, positionQuery } from "../../api/skills/found-by.ts";
import { Problem } from "../states/problem.tsx";
import { SkeletonRows } from "../states/skeleton-rows.tsx";
import { visibleText } from "../text/visible-text.ts";

/** Phrases that find the published version first, and what comes before it for a phrase that the author enters. */
export function FoundBy({ skillRef }: { skillRef: string }) {
  const [asked, setAsked] = useState("");
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const phrase = new FormData(event.currentTarget).get("phrase");
    setAsked(typeof phrase === "string" ? phrase.trim() : "");
  };
  return (
    <div className="stack gap-3 found-by">
      <Phrases skillRef={skillRef} />
      <form className="row" onSubmit={submit}>
        <TextInput
          className="grow"
          size="xs"
          name="phrase"
          aria-label="Phrase to search for"
          placeholder="Try a phrase"
          maxLength={limits.searchQuery}
          autoComplete="off"
        />
        <Button type="submit" size="xs" variant="default">
          Check
        </Button>
      </form>
      {asked !== "" && <Position skillRef={skillRef} phrase={asked} />}
    </div>
  );
}

function Phrases({ skillRef }: { skillRef: string }) {
  const { data, error, isPending } = useQuery(foundByQuery(skillRef));
  if (isPending) return <SkeletonRows rows={3} />;
  if (error) return <Problem error={error} />;
  if (data.phrases.length === 0)
    return (
      <p className="sub small">
        No phrase of its text finds it first. Say in the description when to use it, in the words of the task.
      </p>
    );
  return (
    <>
      <p className="meta">These phrases of its text find it first:</p>
      <ul className="stack">
        {data.phrases.map((phrase) => (
          <li key={phrase} className="phrase">
            {visibleText(phrase)}
          </li>
        ))}
      </ul>
    </>
  );
}

function Position({ skillRef, phrase }: { skillRef: string; phrase: string }) {
  const { data, error } = useQuery(positionQuery(skillRef, phrase));
  if (error) return <Problem error={error} />;
  if (!data) return <SkeletonRows rows={2} />;
  const { position, before, query } = data;
  return (
    <div className="stack" role="status">
      <p className="sub small">{sentenceOf(visibleText(query), position)}</p>
      {before.length > 0 && (
        <ol className="stack" aria-label="Skills before it">
          {before.map(({ publicId, tenantSlug, slug, description }) => (
            <li key={publicId}>
              <Link className="mono" to="/$org/$slug" params={{ org: tenantSlug, slug }}>
                {tenantSlug}/{slug}
              </Link>
              <p className="meta two-lines">{visibleText(description)}</p>
            </li>
          ))}
        </ol>
      )}
    </div>
  );
}

function sentenceOf(phrase: string, position: number | null): string {
  if (position === 1) return `“${phrase}” finds this skill first.`;
  if (position === null) return `“${phrase}” does not find this skill among the first 50.`;
  return `“${phrase}” finds this skill at position ${position}.`;
}
