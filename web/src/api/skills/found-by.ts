/** Which phrases find a skill, for those who may edit it. */
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { query } from "../query.ts";

export const foundByQuery = (ref: string) => query("/api/skills/{skill}/found-by", { skill: ref });

export const positionQuery = (ref: string, phrase: string) =>
  queryOptions({
    ...query("/api/skills/{skill}/found-by/position", { skill: ref, query: phrase }),
    placeholderData: keepPreviousData,
  });
