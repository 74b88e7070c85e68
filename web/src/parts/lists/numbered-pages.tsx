import { Pagination } from "@mantine/core";

interface Props {
  /** Number of entries; undefined until it is known. */
  total: number | undefined;
  pageSize: number;
  /** The shown page; without it, the first one. */
  page: number | undefined;
  onPage: (page: number) => void;
}

/** Choice of a page of a list whose entries the service counts. Nothing if there is one page. */
export function NumberedPages({ total = 0, pageSize, page = 1, onPage }: Props) {
  const pages = Math.ceil(total / pageSize);
  if (pages <= 1) return null;
  return (
    <Pagination
      total={pages}
      value={page}
      getControlProps={(control) => ({ "aria-label": `${control} page` })}
      getItemProps={(item) => ({ "aria-label": `Page ${item}` })}
      onChange={onPage}
    />
  );
}
