// Sets the color scheme that the user chose before the first paint. A file, because the policy allows no inline script.
(function () {
  try {
    var s = localStorage.getItem("mantine-color-scheme-value");
    if (s !== "light" && s !== "dark")
      s = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
    document.documentElement.setAttribute("data-mantine-color-scheme", s);
  } catch {}
})();
