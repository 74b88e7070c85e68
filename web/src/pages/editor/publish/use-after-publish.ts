import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { hasParam } from "../../../api/query.ts";
import type { Published } from "./publish.ts";

/** Removes the draft and opens the skill; warnings are shown first. `refText` is undefined for a new skill. */
export function useAfterPublish(refText: string | undefined, endDraft: () => Promise<void>) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const [published, setPublished] = useState<Published>();
  const onPublished = (result: Published) => {
    const ended = endDraft();
    const ref = refText ?? `${result.org}~${result.slug}`;
    void client.invalidateQueries({
      predicate: hasParam(ref),
      refetchType: "none",
    });
    if (result.warnings.length > 0) setPublished(result);
    else void ended.then(() => navigate({ href: `/${result.org}/${result.slug}` }));
  };
  return { onPublished, published };
}
