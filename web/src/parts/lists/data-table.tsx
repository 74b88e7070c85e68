import { Fragment, type Key, type ReactNode } from "react";

export interface Column<T> {
  header: string;
  /** The header is for screen readers only. */
  isHeaderHidden?: boolean;
  cell: (row: T, index: number) => ReactNode;
  /** The cell names its row. */
  isRowHeader?: boolean;
  align?: "right";
  isHiddenOnPhones?: boolean;
  /** Classes of the cells. */
  className?: string;
}

/** Buttons at the end of each row. */
export const actionsColumn = <T,>(cell: (row: T, index: number) => ReactNode): Column<T> => ({
  header: "Actions",
  isHeaderHidden: true,
  align: "right",
  cell,
});

interface Props<T> {
  caption: string;
  columns: readonly Column<T>[];
  rows: readonly T[];
  keyOf: (row: T) => Key;
  /** The table is in a panel with other content. */
  inPanel?: boolean;
  /** Name of the region that scrolls, which the keyboard then reaches: for a table without controls in its rows. */
  scrollLabel?: string;
  isChosen?: (row: T) => boolean;
  /** Whether the row is followed by its details, over all columns. */
  isOpen?: (row: T) => boolean;
  renderDetails?: (row: T) => ReactNode;
  className?: string;
}

const classesOf = ({
  align,
  isHiddenOnPhones,
  className,
}: Pick<Column<never>, "align" | "isHiddenOnPhones" | "className">) =>
  [align, isHiddenOnPhones && "hidden-on-phones", className].filter(Boolean).join(" ") || undefined;

/** Rows with the same columns. */
export function DataTable<T>(props: Props<T>) {
  const { caption, columns, rows, keyOf, inPanel, scrollLabel, isChosen, isOpen, renderDetails } = props;
  const region = scrollLabel === undefined ? {} : { tabIndex: 0, role: "region", "aria-label": scrollLabel };
  return (
    <div className={inPanel ? "scroll" : "panel scroll"} {...region}>
      <table className={["table", props.className].filter(Boolean).join(" ")}>
        <caption className="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ header, isHeaderHidden, align, isHiddenOnPhones }) => (
              <th key={header} scope="col" className={classesOf({ align, isHiddenOnPhones })}>
                {isHeaderHidden ? <span className="visually-hidden">{header}</span> : header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <Fragment key={keyOf(row)}>
              <tr data-chosen={isChosen?.(row)}>
                {columns.map((column) => (
                  <Cell key={column.header} column={column}>
                    {column.cell(row, index)}
                  </Cell>
                ))}
              </tr>
              {isOpen?.(row) && (
                <tr className="details">
                  <td colSpan={columns.length}>{renderDetails?.(row)}</td>
                </tr>
              )}
            </Fragment>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Cell<T>({ column, children }: { column: Column<T>; children: ReactNode }) {
  const className = classesOf(column);
  return column.isRowHeader ? (
    <th scope="row" className={className}>
      {children}
    </th>
  ) : (
    <td className={className}>{children}</td>
  );
}
