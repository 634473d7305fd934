def html(results): return ""
