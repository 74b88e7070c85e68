import { Select } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { countText } from "../../../../contract/text/count-text.ts";
import { api, dataOf, type Schemas } from "../../api/client.ts";
import { collectionsQuery } from "../../api/organization/collections.ts";
import { query } from "../../api/query.ts";
import { OmittedSkills } from "../../parts/omitted-skills.tsx";
import { Loaded } from "../../parts/states/loaded.tsx";
import { Problem } from "../../parts/states/problem.tsx";
import { visibleText } from "../../parts/text/visible-text.ts";

const indexQuery = (org: string) => query("/api/tenants/{tenant}/skill-index", { tenant: org });
/** Value of the choice without a collection. */
const withoutCollection = "";

/** Choice of the skills that clients without an account find in the organization's index. */
export function SkillIndex({ slug }: { slug: string }) {
  const client = useQueryClient();
  const found = useQuery(indexQuery(slug));
  const { data: collections = [] } = useQuery(collectionsQuery(slug));
  const choosing = useMutation({
    mutationFn: (collection: string | null) =>
      dataOf(
        api.PUT("/api/tenants/{tenant}/skill-index", {
          params: { path: { tenant: slug } },
          body: { collection },
        }),
      ),
    onSuccess: (saved) => client.setQueryData(indexQuery(slug).queryKey, saved),
  });
  return (
    <section className="stack gap-3" style={{ maxWidth: 520 }} aria-labelledby="index-heading">
      <h2 id="index-heading">Index of public skills</h2>
      <Loaded found={found} rows={1} rowHeight={64}>
        {({ collection, index }) => (
          <>
            <Select
              label="Skills in the index"
              description="Clients such as npx skills download all of them before they offer a choice."
              data={[
                { value: withoutCollection, label: "The most downloaded public skills" },
                ...collections
                  .filter(({ folderId }) => folderId === null)
                  .map((one) => ({ value: one.slug, label: `Collection ${visibleText(one.name)}` })),
              ]}
              value={collection ?? withoutCollection}
              allowDeselect={false}
              disabled={choosing.isPending}
              onChange={(value) => choosing.mutate(value === withoutCollection ? null : value)}
            />
            <p className="meta" role="status">
              {index === null ? "None of these skills is public." : stateOf(index)}
            </p>
            <OmittedSkills omitted={index?.omitted ?? []} />
          </>
        )}
      </Loaded>
      <Problem error={choosing.error} />
    </section>
  );
}

function stateOf({ skills, hasMore }: Schemas["SkillIndex"]): string {
  return `${countText(skills, "skill")}${hasMore ? ". The index is full: more skills are public" : ""}.`;
}
