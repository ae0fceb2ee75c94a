--[[ A window into the original engine. It takes the place of Melting Pot's api_factory, calls the original that is
kept beside it, and adds observations and properties. No rule is replaced.

Observations
  PROBE.PIECES   int32 [n, 6]    state, x, y, orientation, frames in this state and health of every object that can
                                 change (row names: property probe.objects).
  PROBE.AVATARS  int32 [A, 8]    cooldown, freeze counter, frozen, countdown of an interaction, collected something
                                 (ready), indicator, episode ends next, player index. Absent figures are -1.
  PROBE.CELLS    int32 [H, W, L] 0, or 1 + 4 * sprite + {N, E, S, W} = 0..3, of every cell and render layer.
  i.PROBE.WINDOW int32 [h, w, L] the same in player i's egocentric window, as player i sees it.
  PROBE.LOG      string          what the last frame drew: "u updater object" for every updater in the order in which
                                 they ran, "r function value" for every random number of the rules.
Properties
  probe.objects, probe.sprites, probe.layers    names, a line each.
  probe.command (write)   tp OBJECT x y N | set OBJECT state | var OBJECT Component field value | flush
]]

-- The engine salts its string hash anew for every virtual machine, so the order of `pairs` over names, and with it the
-- spawn points players get, differs from run to run. In sorted order an episode is a function of its seeds. The
-- original may take every order that this one takes.
local rank = {number = 1, string = 2}

local function inOrder(a, b)
  if type(a) ~= type(b) then return rank[type(a)] < rank[type(b)] end
  return a < b
end

local rawNext = next

function pairs(t)
  local meta = getmetatable(t)
  if meta and rawget(meta, '__pairs') then return meta.__pairs(t) end
  local keys, sortable = {}, true
  for key in rawNext, t do
    keys[#keys + 1] = key
    sortable = sortable and rank[type(key)] ~= nil
  end
  if sortable then table.sort(keys, inOrder) end
  local i = 0
  return function()
    while i < #keys do
      i = i + 1
      local value = rawget(t, keys[i])
      if value ~= nil then return keys[i], value end
    end
  end
end

local original = require 'meltingpot.lua.modules.api_factory_original'
local properties = require 'common.properties'
local random = require 'system.random'
local tensor = require 'system.tensor'
require('common.log').setLogLevel('error')  -- warnings go to the standard output otherwise

local ORIENTATIONS = {N = 0, E = 1, S = 2, W = 3}
local log, paused = {}, false

-- Every random object shares one metatable, so that one wrapper hears all draws of the rules.
local function hearDraws()
  local meta = getmetatable(random)
  for _, name in ipairs{'uniformReal', 'uniformInt', 'choice'} do
    local draw = rawget(meta, name)
    rawset(meta, name, function(self, ...)
      local result = draw(self, ...)
      log[#log + 1] = 'r ' .. name .. ' ' .. tostring(result)
      return result
    end)
  end
end
hearDraws()

local function hearUpdaters(simulation, callbacks)
  local owner = {}
  for _, object in pairs(simulation:getAllGameObjects()) do
    for _, state in ipairs(object:getAllStates()) do owner[object:getUniqueState(state)] = object end
  end
  for state, callback in pairs(callbacks) do
    local object = owner[state]
    if object and type(callback) == 'table' and callback.onUpdate then
      for name, update in pairs(callback.onUpdate) do
        callback.onUpdate[name] = function(...)
          if paused then return end
          log[#log + 1] = 'u ' .. name .. ' ' .. object._id
          return update(...)
        end
      end
    end
  end
end

local function component(object, name)
  return object:hasComponent(name) and object:getComponent(name) or nil
end

local function integer(value)
  if type(value) == 'boolean' then return value and 1 or 0 end
  return value or -1
end

local function indicatorCode(name)
  if name == nil then return -1 end
  if name == 'notReady' then return 0 end
  if name == 'ready' then return 1 end
  return 1 + tonumber(name:match('%d+$'))
end

local function avatarRow(object, scene)
  local avatar = object:getComponent('Avatar')
  local zapper = component(object, 'Zapper') or component(object, 'GameInteractionZapper') or {}
  local matrix = component(scene, 'TheMatrix')
  local index = avatar:getIndex()
  return {
      integer(zapper._coolingTimer), integer(avatar._freezeCounter), integer(not avatar._movementAllowed),
      integer(zapper._framesTillScheduledEffects),
      matrix and integer(matrix.playerCollectedAtLeastOneResource[index]) or -1,
      matrix and indicatorCode(matrix.indicators[index]) or -1,
      integer(zapper._endEpisodeOnNextFrame), index}
end

-- Objects that can change, with the line that names each.
local function changing(simulation)
  local objects, names = {}, {}
  for _, object in pairs(simulation:getAllGameObjects()) do
    local avatar, states = component(object, 'Avatar'), object:getAllStates()
    if avatar or #states > 1 then
      objects[#objects + 1] = object
      local words = {object._id, object.name, avatar and avatar:getIndex() or 0, table.concat(states, '|')}
      names[#names + 1] = table.concat(words, '\t')
    end
  end
  return objects, names
end

local function pieceRow(object, stateNumber, grid)
  local piece = object:getPiece()
  local transform = grid:transform(piece)
  local destroyable = component(object, 'Destroyable')
  return {
      stateNumber[grid:state(piece)], transform.pos[1], transform.pos[2], ORIENTATIONS[transform.orientation],
      grid:frames(piece), destroyable and destroyable._variables.health or 0}
end

local function addState(observations, simulation)
  local objects, names = changing(simulation)
  local stateNumbers = {}
  for i, object in ipairs(objects) do
    stateNumbers[i] = {}
    for number, state in ipairs(object:getAllStates()) do
      stateNumbers[i][object:getUniqueState(state)] = number - 1
    end
  end
  properties.addReadOnly('probe.objects', table.concat(names, '\n'))
  observations[#observations + 1] = {
      name = 'PROBE.PIECES', type = 'tensor.Int32Tensor', shape = {#objects, 6},
      func = function(grid)
        local rows = {}
        for i, object in ipairs(objects) do rows[i] = pieceRow(object, stateNumbers[i], grid) end
        return tensor.Int32Tensor(rows)
      end}
  local avatars = simulation:getAvatarGameObjects()
  observations[#observations + 1] = {
      name = 'PROBE.AVATARS', type = 'tensor.Int32Tensor', shape = {simulation:getNumPlayers(), 8},
      func = function(grid)
        local rows, scene = {}, simulation:getSceneObject()
        for _, object in pairs(avatars) do
          rows[object:getComponent('Avatar'):getIndex()] = avatarRow(object, scene)
        end
        return tensor.Int32Tensor(rows)
      end}
  observations[#observations + 1] = {
      name = 'PROBE.LOG', type = 'String', shape = {0},
      func = function(grid) return table.concat(log, '\n') end}
end

local function addViews(observations, simulation, world)
  local whole = world:createView{layout = simulation:textMap().layout}
  local spec = whole:observationSpec('PROBE.CELLS')
  spec.func = function(grid) return whole:observation{grid = grid} end
  observations[#observations + 1] = spec
  for _, object in pairs(simulation:getAvatarGameObjects()) do
    local avatar = object:getComponent('Avatar')
    local view = avatar._config.view
    local window = world:createView{
        left = view.left, right = view.right, forward = view.forward, backward = view.backward,
        centered = view.centered, spriteMap = avatar._config.spriteMap}
    local windowSpec = window:observationSpec(avatar:getIndex() .. '.PROBE.WINDOW')
    windowSpec.func = function(grid) return window:observation{grid = grid, piece = object:getPiece()} end
    observations[#observations + 1] = windowSpec
  end
end

local function find(simulation, id)
  for _, object in pairs(simulation:getAllGameObjects()) do
    if object._id == id then return object end
  end
  error('no object ' .. tostring(id))
end

local function value(word)
  if word == 'true' or word == 'false' then return word == 'true' end
  return tonumber(word) or word
end

local function apiFactory(env)
  local api = original.apiFactory(env)
  local init, start, advance = api.init, api.start, api.advance

  local function command(line)
    local words = {}
    for word in line:gmatch('%S+') do words[#words + 1] = word end
    local verb = words[1]
    if verb == 'flush' then
      -- Applies what is queued while no updater runs; the clock of every piece advances by one frame.
      paused = true
      api._grid:update(random)
      paused = false
      return
    end
    local object = find(api.simulation, words[2])
    if verb == 'tp' then object:teleport({tonumber(words[3]), tonumber(words[4])}, words[5])
    elseif verb == 'set' then object:setState(words[3])
    elseif verb == 'var' then object:getComponent(words[3])[words[4]] = value(words[5])
    else error('unknown command ' .. line) end
  end

  function api:init(kwargs)
    -- The order of the render layers is known only while the world is being made.
    local worldConfig, layers = env.Simulation.worldConfig, nil
    env.Simulation.worldConfig = function(simulation)
      local config = worldConfig(simulation)
      layers = config.renderOrder
      return config
    end
    init(self, kwargs)
    env.Simulation.worldConfig = worldConfig
    local stateCallbacks = self.simulation.stateCallbacks
    self.simulation.stateCallbacks = function(simulation, callbacks)
      stateCallbacks(simulation, callbacks)
      hearUpdaters(simulation, callbacks)
    end
    addState(self._observations, self.simulation)
    addViews(self._observations, self.simulation, self._world)
    properties.addReadOnly('probe.sprites', table.concat(self._world:spriteNames(), '\n'))
    properties.addReadOnly('probe.layers', table.concat(layers, '\n'))
    properties.addReadWrite('probe.command', command)
  end

  function api:start(episode, seed)
    log = {}
    return start(self, episode, seed)
  end

  function api:advance(steps)
    log = {}
    return advance(self, steps)
  end

  return api
end

return {apiFactory = apiFactory}
