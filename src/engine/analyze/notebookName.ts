/** Whether a file is a Jupyter notebook, by its name. */
export function isNotebook(path: string): boolean {
  return /\.ipynb$/i.test(path);
}
