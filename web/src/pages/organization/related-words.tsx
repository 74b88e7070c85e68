import { Button, Textarea } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { changeRelatedWords, relatedWordsQuery } from "../../api/organization/organizations.ts";
import { Loaded } from "../../parts/states/loaded.tsx";
import { Problem } from "../../parts/states/problem.tsx";

const textOf = (groups: readonly (readonly string[])[]) => groups.map((group) => group.join(", ")).join("\n");
const groupsOf = (text: string) =>
  text
    .split("\n")
    .map((line) =>
      line
        .split(",")
        .map((phrase) => phrase.trim())
        .filter(Boolean),
    )
    .filter((group) => group.length > 0);

/** The organization's own words that mean much the same, which its members' searches know. */
export function RelatedWords({ slug }: { slug: string }) {
  const found = useQuery(relatedWordsQuery(slug));
  return (
    <section className="stack gap-3" style={{ maxWidth: 520 }} aria-labelledby="related-words-heading">
      <h2 id="related-words-heading">Related words</h2>
      <Loaded found={found} rows={1} rowHeight={140}>
        {({ groups }) => <Form key={textOf(groups)} slug={slug} saved={textOf(groups)} />}
      </Loaded>
    </section>
  );
}

function Form({ slug, saved }: { slug: string; saved: string }) {
  const client = useQueryClient();
  const [text, setText] = useState(saved);
  const saving = useMutation({
    mutationFn: () => changeRelatedWords(slug, groupsOf(text)),
    onSuccess: (list) => client.setQueryData(relatedWordsQuery(slug).queryKey, list),
  });
  return (
    <form
      className="stack gap-3"
      aria-label="Related words"
      onSubmit={(event) => {
        event.preventDefault();
        saving.mutate();
      }}
    >
      <Textarea
        label="Words that mean the same here"
        description="One group per line, with commas between its words. A search for one of them finds the others too."
        placeholder="nimbus, hosting provider"
        autosize
        minRows={3}
        maxRows={12}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <Problem error={saving.error} />
      <Button type="submit" w="fit-content" loading={saving.isPending} disabled={text === saved}>
        Save
      </Button>
    </form>
  );
}
