# Writes a C++ file that holds other files as strings. A script: cmake -DOUT=… -DFILES=a|b -P halogen_embed.cmake
#
# OUT     the file to write; it defines halogen::runtime_headers() (generators/emit/runtime_headers.h)
# FILES   paths, separated by |; each is known under its last component

string(REPLACE "|" ";" files "${FILES}")
set(text "// Made by cmake/halogen_embed.cmake.\n#include \"generators/emit/runtime_headers.h\"\n\nnamespace halogen {\n\n")
string(APPEND text "const std::vector<std::pair<std::string_view, std::string_view>>& runtime_headers() {\n")
string(APPEND text "    static const std::vector<std::pair<std::string_view, std::string_view>> all{\n")
file(WRITE "${OUT}.part" "${text}")
foreach(path IN LISTS files)
  get_filename_component(name "${path}" NAME)
  file(READ "${path}" content)
  file(APPEND "${OUT}.part" "        {\"${name}\", R\"halogen_file(")
  file(APPEND "${OUT}.part" "${content}")
  file(APPEND "${OUT}.part" ")halogen_file\"},\n")
endforeach()
file(APPEND "${OUT}.part" "    };\n    return all;\n}\n\n}  // namespace halogen\n")
file(RENAME "${OUT}.part" "${OUT}")
