-- Opens the example in Neovim 0.7 and later, and writes what a user would see there as JSON.
-- Wants in the environment: LENS_WORKSPACE, LENS_COMMAND (a JSON list), LENS_SETTINGS (JSON),
-- LENS_README (the path of a Lua script), LENS_RESULT (a path).
local result = {}

local function wait(what, ready)
  assert(vim.wait(20000, ready, 20), 'waited in vain for ' .. what)
end

local function float()
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    if vim.api.nvim_win_get_config(window).relative ~= '' then return window end
  end
end

local function hover()
  vim.lsp.buf.hover()
  wait('a hover', float)
  local lines = vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(float()), 0, -1, false)
  vim.api.nvim_win_close(float(), true)
  return lines
end

local function place()
  local name = vim.fn.fnamemodify(vim.api.nvim_buf_get_name(0), ':t')
  return { name, vim.api.nvim_win_get_cursor(0)[1], vim.fn.expand('<cword>') }
end

local function definition()
  local before = vim.inspect(place())
  vim.lsp.buf.definition()
  wait('a definition', function() return vim.inspect(place()) ~= before end)
  vim.cmd('cclose')
  return place()
end

local function run()
  local workspace = vim.env.LENS_WORKSPACE
  local client = vim.lsp.start_client({
    name = 'inductor-lens',
    cmd = vim.fn.json_decode(vim.env.LENS_COMMAND),
    root_dir = workspace,
    init_options = vim.fn.json_decode(vim.env.LENS_SETTINGS),
  })

  -- A wrapper: lenses, diagnostics, hover, from a call to its kernel.
  vim.cmd('edit ' .. workspace .. '/output_code.py')
  vim.bo.filetype = 'python'
  vim.lsp.buf_attach_client(0, client)
  local wrapper = vim.api.nvim_get_current_buf()
  wait('the server', function() return vim.lsp.buf_is_attached(wrapper, client) and vim.lsp.get_client_by_id(client).initialized end)
  local function measured()
    local lenses = vim.lsp.codelens.get(wrapper)
    for _, lens in ipairs(lenses) do
      if not (lens.command and lens.command.title:find('TB/s')) then return false end
    end
    return #lenses > 0
  end
  for _ = 1, 100 do -- this Neovim is not told to refresh
    vim.lsp.codelens.refresh()
    if vim.wait(200, measured, 20) then break end
  end
  assert(measured(), 'no lens has a bandwidth')
  wait('diagnostics', function() return #vim.diagnostic.get(wrapper) > 0 end)
  result.lenses, result.diagnostics = {}, {}
  for _, lens in ipairs(vim.lsp.codelens.get(wrapper)) do
    table.insert(result.lenses, { lens.range.start.line + 1, lens.command.title })
  end
  for _, diagnostic in ipairs(vim.diagnostic.get(wrapper)) do
    table.insert(result.diagnostics, { diagnostic.lnum + 1, diagnostic.col, diagnostic.severity, diagnostic.message })
  end

  dofile(vim.env.LENS_README) -- what the README gives for running a lens
  vim.api.nvim_win_set_cursor(0, { result.lenses[3][1], 0 })
  vim.lsp.codelens.run()
  wait('the launches of a lens', function() return #vim.fn.getqflist() > 0 end)
  local launch = vim.fn.getqflist()[1]
  result.launches = { #vim.fn.getqflist(), vim.fn.fnamemodify(vim.fn.bufname(launch.bufnr), ':t'), launch.lnum }
  vim.cmd('cclose')

  vim.fn.search('triton_poi_fused__unsafe_view_mul_silu_2.run(')
  result.hover = hover()
  result.definition_of_a_call = definition()

  -- A trace: hover and the way to the generated kernel.
  vim.cmd('edit ' .. workspace .. '/trace.json')
  vim.bo.filetype = 'json'
  vim.lsp.buf_attach_client(0, client)
  vim.api.nvim_win_set_cursor(0, { 1, 0 })
  vim.fn.search('"triton_poi_fused__unsafe_view_mul_silu_2')
  vim.cmd('normal! l')
  local trace = vim.api.nvim_get_current_buf()
  wait('diagnostics of the trace', function() return #vim.diagnostic.get(trace) > 0 end)
  result.hover_in_trace = hover()
  result.definition_of_a_launch = definition()
end

local ok, problem = xpcall(run, debug.traceback)
result.problem = not ok and problem or nil
local file = io.open(vim.env.LENS_RESULT, 'w')
file:write(vim.fn.json_encode(result))
file:close()
vim.cmd('qall!')
