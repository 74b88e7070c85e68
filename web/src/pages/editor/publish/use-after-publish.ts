import { notifications } from "@mantine/notifications";
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
    if (result.warnings.length > 0) {
      setPublished(result);
      return;
    }
    const { org, slug, semver } = result;
    void ended.then(() => navigate({ href: `/${org}/${slug}` }));
    notifications.show({
      autoClose: 8000,
      title: `Published ${slug} ${semver}`,
      message: `Install it with svc install ${org}/${slug}. Members who have it get it with svc pull.`,
    });
  };
  return { onPublished, published };
}
