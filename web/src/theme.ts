import { createTheme, defaultVariantColorsResolver, type VariantColorsResolver } from "@mantine/core";

const variantColorResolver: VariantColorsResolver = (input) => {
  if (input.color === "ink" && input.variant === "filled") {
    return {
      background: "var(--ink)",
      hover: "color-mix(in srgb, var(--ink) 88%, var(--canvas))",
      color: "var(--on-ink)",
      border: "1px solid var(--ink)",
    };
  }
  if (input.color === "danger" && input.variant === "filled") {
    return {
      background: "var(--danger)",
      hover: "color-mix(in srgb, var(--danger) 88%, var(--canvas))",
      color: "var(--on-ink)",
      border: "1px solid var(--danger)",
    };
  }
  return defaultVariantColorsResolver(input);
};

export const theme = createTheme({
  primaryColor: "petrol",
  primaryShade: { light: 7, dark: 5 },
  black: "#1b1916",
  defaultRadius: "sm",
  cursorType: "pointer",
  fontFamily: "var(--font)",
  fontFamilyMonospace: "var(--mono)",
  headings: { fontFamily: "var(--font)", fontWeight: "600" },
  fontSizes: {
    xs: "var(--t-meta)",
    sm: "var(--t-ui)",
    md: "var(--t-text)",
    lg: "var(--t-read)",
    xl: "var(--t-h3)",
  },
  radius: { xs: "var(--r-mark)", sm: "var(--r-control)", md: "var(--r-panel)" },
  spacing: { xs: "var(--s1)", sm: "var(--s2)", md: "var(--s3)", lg: "var(--s4)", xl: "var(--s6)" },
  colors: {
    petrol: [
      "#eff8fe",
      "#daf1fe",
      "#bbe1f7",
      "#94cdee",
      "#66b5e0",
      "#3f9dcc",
      "#1c83b1",
      "#00648e",
      "#004e6e",
      "#07354a",
    ],
    gray: [
      "#faf7f3",
      "#f2f0ec",
      "#e6e3df",
      "#d1cfcb",
      "#b3b1ad",
      "#8f8d8a",
      "#676562",
      "#494744",
      "#2f2d2a",
      "#1b1916",
    ],
    dark: [
      "#eeece9",
      "#bfbdba",
      "#9b9996",
      "#6d6b69",
      "#413f3d",
      "#2c2b28",
      "#22201e",
      "#181614",
      "#131210",
      "#11100d",
    ],
  },
  variantColorResolver,
  components: {
    Button: { defaultProps: { size: "sm", color: "ink" } },
    // Named where they are used most: an icon button without a name fails WCAG 4.1.2, and the placeholder for focus
    // breaks role=menu.
    // The page behind never scrolls: the shell has the height of the window. A lock would only style all of it again.
    Drawer: { defaultProps: { closeButtonProps: { "aria-label": "Close" }, lockScroll: false } },
    Menu: { defaultProps: { withInitialFocusPlaceholder: false } },
    Modal: {
      defaultProps: { closeButtonProps: { "aria-label": "Close" }, lockScroll: false },
      styles: { title: { fontSize: "var(--t-h3)", fontWeight: 600 } },
    },
    Notification: { defaultProps: { closeButtonProps: { "aria-label": "Close" } } },
    Tooltip: { defaultProps: { openDelay: 400 } },
  },
});

const own = {
  "--mantine-color-body": "var(--canvas)",
  "--mantine-color-text": "var(--ink)",
  "--mantine-color-dimmed": "var(--ink-3)",
  "--mantine-color-placeholder": "var(--ink-3)",
  "--mantine-color-anchor": "var(--accent)",
  "--mantine-color-error": "var(--danger)",
  "--mantine-color-default": "var(--surface)",
  "--mantine-color-default-border": "var(--line-strong)",
  "--mantine-color-default-hover": "var(--hover)",
  "--mantine-primary-color-contrast": "var(--on-accent)",
};
export const cssVariablesResolver = () => ({ variables: {}, light: own, dark: own });
